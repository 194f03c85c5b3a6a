import fc from 'fast-check';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { tokenBound } from './tokens.js';

/** Text is never a special token here. */
const PLAIN = { disallowedSpecial: new Set<string>() };
const real = (text: string): number => Math.max(encodeCl100k(text, PLAIN).length, encodeO200k(text, PLAIN).length);

const PROSE = `The gate agent opens the lock when the water on both sides has reached the same level. Before anyone touches the
hydraulic pump, the operator on duty checks the pressure twice and writes the reading into the log. When the reading differs from
yesterday by more than a tenth, nobody starts the motor until a second person has looked at the valves. Most accidents of the last
ten years began with a reading that somebody thought was wrong, and was not. If the network is down, the agent keeps the last known
state for five minutes and then closes everything it can close; it does not guess. A good rule is to treat every silence as a fault.`;
const CODE = `export async function openGate(gate: Gate, options: OpenOptions = {}): Promise<GateState> {
  const { retryBackoffMs = 250, maxAttempts = 5 } = options;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const state = await gate.readState();
    if (state.level.upper - state.level.lower < TOLERANCE_MM) return gate.open();
    await sleep(retryBackoffMs * 2 ** attempt); // the water needs time
  }
  throw new Error(\`gate \${gate.id} did not level within \${maxAttempts} attempts\`);
}`;
const SAMPLES: Readonly<Record<string, string>> = {
  prose: PROSE,
  code: CODE,
  yaml: 'gate:\n  name: north\n  retry_backoff_ms: 250\n  tags: [lock, tide]\n  limits:\n    - level: 3.5\n      action: "close"\n',
  table: `| flag | default | meaning |\n|---|:---:|---:|\n${'| `--no-moor` | false | do not moor |\n| `-x` | 12.50 | run *x* |\n'.repeat(4)}`,
  markdown: '# Lock gate\n\n- **open** the [valve](./valve.md#open)\n- `close()` it\n\n> Note: see <https://locks.example/a?b=1>\n\n---\n',
  urls: 'https://docs.locks.example/en/latest/api/gate-agent.html?version=1.0.21&tab=cli#open-gate\n'.repeat(3),
  german:
    'Bevor Sie den Server neu starten, sichern Sie die Konfigurationsdatei. Überprüfen Sie außerdem die Zugriffsberechtigungen des Benutzerkontos und die Netzwerkeinstellungen.',
  french:
    "Avant de redémarrer le serveur, veuillez sauvegarder le fichier de configuration. Vérifiez également les autorisations de l'utilisateur.",
  finnish: 'Ennen palvelimen uudelleenkäynnistystä varmuuskopioi asetustiedosto. Tarkista myös käyttäjätilin käyttöoikeudet.',
  chinese: '液压泵在启动前必须检查油位。闸门代理负责打开和关闭船闸，并在压力过高时发出警报。修改后需要重新启动服务。',
  japanese: 'サーバーを再起動する前に、必ず設定ファイルをバックアップしてください。接続に失敗した場合は、設定を確認します。',
  korean: '서버를 다시 시작하기 전에 설정 파일을 백업하십시오. 연결에 실패하면 네트워크 설정을 확인하세요.',
  russian: 'Перед перезапуском сервера обязательно сделайте резервную копию файла конфигурации.',
  hindi: 'सर्वर को पुनः आरंभ करने से पहले कॉन्फ़िगरेशन फ़ाइल का बैकअप अवश्य लें।',
  arabic: 'قبل إعادة تشغيل الخادم يرجى عمل نسخة احتياطية من ملف الإعدادات.',
  thai: 'ก่อนรีสตาร์ทเซิร์ฟเวอร์ โปรดสำรองไฟล์การกำหนดค่า',
  emoji: 'Done 🚀🔥 and ✅ checked 👩‍💻 by the crew 🧭 at noon ⚓ ☔',
};

const lettersOf = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((each) => each.join(''));
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';

describe('PIT-16 CTX-06 the token bound is never below the tokenizers', () => {
  test.each(Object.entries(SAMPLES))('%s', (_name, text) => {
    expect(tokenBound(text)).toBeGreaterThanOrEqual(real(text));
  });

  test.each([
    ['random letters', lettersOf(LOWER, 400)],
    ['random words', lettersOf(`${LOWER}     `, 600)],
    ['random capitals', lettersOf(LOWER.toUpperCase(), 400)],
    ['base64', lettersOf(`${LOWER}${LOWER.toUpperCase()}0123456789+/`, 600)],
    ['hexadecimal', lettersOf(HEX, 600)],
    ['digits', lettersOf('0123456789', 300)],
    ['signs', lettersOf('!@#$%^&*()_+-=[]{}|;:",.<>/?~`', 300)],
    ['any printable ASCII', lettersOf(Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join(''), 500)],
    ['emoji', lettersOf('🚀🔥🧭⚓🎉👍🏽', 60)],
  ])('%s', (_name, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenBound(text)).toBeGreaterThanOrEqual(real(text));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the token bound is useful', () => {
  test('English prose is over-counted by less than a quarter', () => {
    expect(tokenBound(PROSE) / real(PROSE)).toBeLessThan(1.25);
  });

  test('a text costs at most what its lines cost', () => {
    const pieces = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...Object.values(SAMPLES)));
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        expect(tokenBound(`${a}\n`) + tokenBound(b)).toBeGreaterThanOrEqual(tokenBound(`${a}\n${b}`));
        expect(tokenBound(a) + tokenBound(`\n${b}`)).toBeGreaterThanOrEqual(tokenBound(`${a}\n${b}`));
      }),
      { numRuns: 300 },
    );
  });

  test('nothing costs nothing', () => {
    expect(tokenBound('')).toBe(0);
  });
});
