import fc from 'fast-check';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { runs } from '../../tests/support/proof-scale.js';
import { WORDS } from './token-vocabulary.js';
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
  polish:
    'Przed ponownym uruchomieniem serwera należy wykonać kopię zapasową pliku konfiguracyjnego. Sprawdź również uprawnienia użytkownika, źródło zasilania i żądane ciśnienie w komorze śluzy.',
  dutch:
    'Voordat u de server opnieuw opstart, maakt u een reservekopie van het configuratiebestand. Controleer ook de toegangsrechten van de gebruiker en de waterstand in de sluiskolk.',
  spanish:
    'Antes de reiniciar el servidor, haga una copia de seguridad del archivo de configuración. Compruebe también los permisos del usuario y la presión de la bomba hidráulica.',
  turkish: 'Sunucuyu yeniden başlatmadan önce yapılandırma dosyasını yedekleyin. Kullanıcı izinlerini de gözden geçirdiğinizden emin olun.',
  vietnamese: 'Trước khi khởi động lại máy chủ, hãy sao lưu tệp cấu hình. Kiểm tra cả quyền truy cập của người dùng.',
  czech: 'Před restartováním serveru zálohujte konfigurační soubor. Ověřte také přístupová oprávnění uživatele.',
  greek: 'Πριν επανεκκινήσετε τον διακομιστή, δημιουργήστε αντίγραφο ασφαλείας του αρχείου ρυθμίσεων.',
  hebrew: 'לפני הפעלה מחדש של השרת יש לגבות את קובץ התצורה.',
  latin: 'Pariatur excepteur voluptate officia consequat reprehenderit adipisicing quis nostrud exercitation ullamco laboris.',
  families: 'Family 👨‍👩‍👧‍👦, flags 🇵🇱🇳🇱🏴󠁧󠁢󠁳󠁣󠁴󠁿, skin 👩🏽‍🚀, keycap 1️⃣, hearts ❤️‍🔥, private \uE000\u{F0000}, rare Han 龘靐齉𠀀𪚥',
  contractions: "It's what they've said: don't, we'll, I'd, 'tis, 'street', rock'n'roll, l'homme, O'Neill's, THEY'RE, 'verify'",
  identifiers: 'parseXMLFile XMLHttpRequest node_cpu_seconds_total retryBackoffMs approxAchievements ALL_CAPS kebab-case-name __init__',
  rules: `a\n${'-'.repeat(300)}\n${'='.repeat(33)}$$\n|${'-'.repeat(20)}|:${'-'.repeat(9)}:|\n${'*'.repeat(70)}\n!(${'.'.repeat(40)}`,
  blanks: `x${' '.repeat(400)}y\n\n\n\n${'\t'.repeat(50)}z \n \n\t \n${' '.repeat(90)}7 \u00a0 |${'\n'.repeat(60)}${' '.repeat(5)}`,
  slashes: 'a+\n/b }\n//comment\n{\n/opt/app\n*/\n/usr',
  emoji: 'Done 🚀🔥 and ✅ checked 👩‍💻 by the crew 🧭 at noon ⚓ ☔',
};

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const SIGNS = '!@#$%^&*()_+-=[]{}|;:",.<>/?~`\'\\';
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');

function listedWords(): readonly string[] {
  let word = '';
  return [...WORDS.matchAll(/([A-Z])([a-z]+)/g)].map(([, shared = 'A', rest = '']) => {
    word = word.slice(0, shared.charCodeAt(0) - 65) + rest;
    return word;
  });
}

const LISTED = listedWords();
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const lettersOf = (alphabet: string, most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { maxLength: most }).map((each) => each.join(''));
const scalars = (first: number, last: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: first, max: last }), { maxLength: 12 }).map((points) => String.fromCodePoint(...points));
const listed = fc.constantFrom(...LISTED);
const words = fc.oneof(
  listed,
  listed.map(capital),
  listed.map((word) => word.toUpperCase()),
  fc.tuple(listed, listed).map(([a, b]) => a + capital(b)),
  fc.tuple(listed, fc.constantFrom("'s", "'t", "'re", "'LL", '’s', "'street")).map(([word, suffix]) => word + suffix),
);
const scripts = fc.oneof(
  ...[
    [0x80, 0x24f],
    [0x250, 0x7ff],
    [0x800, 0x1fff],
    [0x2000, 0x206f],
    [0x2070, 0x30ff],
    [0x3400, 0x9fff],
    [0xa000, 0xabff],
    [0xac00, 0xd7a3],
    [0xd800, 0xdfff],
    [0xe000, 0xffff],
    [0x10000, 0x1ffff],
    [0x1f300, 0x1faff],
    [0x20000, 0x10ffff],
  ].map(([first = 0, last = 0]) => scalars(first, last)),
);
const blanks = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r\n', '  ', '\n\n', '\u00a0', '\u2003', '\f', '\r'), { maxLength: 6 })
  .map((each) => each.join(''));
const rows = fc.tuple(fc.constantFrom(...SIGNS, ' ', '\t', '\n'), fc.nat({ max: 120 })).map(([sign, count]) => sign.repeat(count));
const KINDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'known words': words,
  'random letters': lettersOf(LOWER, 14),
  'random capitals': lettersOf(UPPER, 14),
  'mixed case': lettersOf(LOWER + UPPER, 12),
  base64: lettersOf(`${LOWER}${UPPER}0123456789+/`, 60),
  hexadecimal: lettersOf('0123456789abcdef', 60),
  digits: lettersOf('0123456789²½①٣Ⅳ५', 12),
  signs: lettersOf(SIGNS, 6),
  'printable ASCII': lettersOf(PRINTABLE, 40),
  'control characters': scalars(0, 31),
  'Latin with accents': lettersOf(`${LOWER}${LOWER}àâäåæçéèêëíïñóôöøúüýąćęłńśźżčďěňřšťůžğışőű`, 14),
  'other scripts': scripts,
  emoji: lettersOf('🚀🔥🧭⚓🎉👍🏽', 12),
  blanks,
  rows,
};
const space = fc.constant(' ');
const mixture = fc.array(fc.oneof(...Object.values(KINDS), space, space), { maxLength: 16 }).map((each) => each.join(''));

function expectBound(text: string): void {
  expect(tokenBound(text), JSON.stringify(text)).toBeGreaterThanOrEqual(real(text));
}

describe('PIT-16 CTX-06 the token bound is never below the tokenizers', () => {
  test.each(Object.entries(SAMPLES))('%s', (_name, text) => {
    expectBound(text);
    for (const line of text.split('\n')) expectBound(line);
    for (let at = 0; at < text.length; at += 7) expectBound(text.slice(at, at + 40));
  });

  test.each(Object.entries(KINDS))('%s, alone and between spaces or signs', (_name, texts) => {
    const joints = fc.constantFrom('', ' ', '  ', '\n', ', ', '_', '.', ' (', '/', '“', "'", '|');
    const joined = fc.array(fc.tuple(texts, joints), { maxLength: 8 }).map((pairs) => pairs.flat().join(''));
    fc.assert(fc.property(fc.oneof(texts, joined), expectBound), { numRuns: runs(400) });
  });

  test('one character of another script after a blank or a sign', () => {
    expectBound(' 터');
    for (let point = 0x800; point < 0x10000; point += 37) {
      if (point >= 0xd800 && point < 0xe000) continue;
      for (const before of [' ', '(', '-', 'a', '1', '\n']) expectBound(before + String.fromCodePoint(point));
    }
  });

  test('any mixture of them', () => {
    fc.assert(fc.property(mixture, expectBound), { numRuns: runs(1_500) });
  });

  test('known words in every surrounding they are listed for', () => {
    const step = 11;
    for (let at = 0; at < LISTED.length; at += step) {
      const word = LISTED[at] ?? '';
      for (const form of [word, capital(word)])
        for (const before of ['', ' ', '\t', '-', '(', '_', '“']) {
          expectBound(before + form);
          expectBound(`${before}${form}'s`);
        }
    }
    expect(LISTED.length).toBeGreaterThan(8_000);
  });
});

describe('the token bound is useful', () => {
  test('English prose is over-counted by less than a tenth, code by less than a quarter', () => {
    expect(tokenBound(PROSE) / real(PROSE)).toBeLessThan(1.1);
    expect(tokenBound(CODE) / real(CODE)).toBeLessThan(1.25);
  });

  const pieces = fc
    .oneof(fc.string(), fc.string({ unit: 'binary' }), mixture, fc.constantFrom(...Object.values(SAMPLES)))
    .map((text) => text.replaceAll('\r', ' '));

  /** Page text as it is served: without control characters. */
  const served = pieces.map((text) => text.replaceAll(/[^\P{Cc}\t\n]/gu, ''));

  test('a text costs at most what its lines cost one by one', () => {
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        const lines = `${a}\n${b}`.match(/[^\n]*\n|[^\n]+/g) ?? [];
        expect(lines.reduce((sum, line) => sum + tokenBound(line), 0)).toBeGreaterThanOrEqual(tokenBound(`${a}\n${b}`));
      }),
      { numRuns: runs(1_500) },
    );
  });

  /** What a text may cost more than its halves: a token where blanks or signs run over the cut, more only within a row of line ends. */
  const slackOf = (a: string, b: string): number => {
    if (/\n{4}/.test(`${/\n*$/.exec(a)}\n${/^\n*/.exec(b)}`)) return 6;
    return /[^\p{L}\p{N}]$/u.test(a) || /^\s/.test(b) ? 1 : 0;
  };

  test('cut at any line end, the halves cost no less, but for what runs over the cut', () => {
    fc.assert(
      fc.property(served, served, fc.nat({ max: 2 }), (a, b, empty) => {
        const next = '\n'.repeat(empty * 5) + b;
        const whole = tokenBound(`${a}\n${next}`) - slackOf(a, next);
        expect(tokenBound(`${a}\n`) + tokenBound(next)).toBeGreaterThanOrEqual(whole);
        expect(tokenBound(a) + tokenBound(`\n${next}`)).toBeGreaterThanOrEqual(whole);
      }),
      { numRuns: runs(1_500) },
    );
  });

  test('nothing costs nothing', () => {
    expect(tokenBound('')).toBe(0);
  });
});
