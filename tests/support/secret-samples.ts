/**
 * Made-up credentials of the usual shapes, from a seed; and texts that look like some and are none.
 *
 * None of them opens anything, and none stands in this file: they are put together when a test runs.
 */
export interface Random {
  /** `count` characters of an alphabet. */
  of(alphabet: string, count: number): string;
  from(low: number, high: number): number;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const ALNUM = LOWER + UPPER + DIGITS;
const BASE64URL = `${ALNUM}-_`;
const BASE64 = `${ALNUM}+/`;

/** A small generator (mulberry32): the same samples on every machine. */
function randomFrom(seed: number): Random {
  let state = (seed * 0x9e3779b1 + 0x6d2b79f5) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    of: (alphabet, count) => Array.from({ length: count }, () => alphabet[Math.floor(next() * alphabet.length)]).join(''),
    from: (low, high) => low + Math.floor(next() * (high - low + 1)),
  };
}

export type Sample = (random: Random) => string;

export function sampleOf(sample: Sample, seed: number): string {
  return sample(randomFrom(seed + 1));
}

interface Family {
  readonly sample: Sample;
  /** Where the family is known by the words around it. */
  readonly context?: string;
}

const dashes = '-'.repeat(5);
const keyBlock =
  (name: string): Sample =>
  (r) =>
    `${dashes}BEGIN ${name}${dashes}\n${Array.from({ length: 12 }, () => r.of(BASE64, 64)).join('\n')}\n${r.of(BASE64, 40)}==\n${dashes}END ${name}${dashes}`;

export const FAMILIES: readonly (readonly [string, Family])[] = [
  ['aws access key', { sample: (r) => `AKIA${r.of(`${UPPER}234567`, 16)}` }],
  ['aws example key', { sample: () => `AKIA${'IOSFODNN7'}EXAMPLE` }],
  ['aws session key', { sample: (r) => `ASIA${r.of(`${UPPER}234567`, 16)}` }],
  ['aws secret key', { sample: (r) => `a${r.of(BASE64, 37)}Z9`, context: 'aws_secret_access_key = %' }],
  ['rsa private key', { sample: keyBlock('RSA PRIVATE KEY') }],
  ['private key', { sample: keyBlock('PRIVATE KEY') }],
  ['openssh private key', { sample: keyBlock('OPENSSH PRIVATE KEY') }],
  ['pgp private key', { sample: keyBlock('PGP PRIVATE KEY BLOCK') }],
  ['stub of a key', { sample: (r) => `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${r.of(BASE64, 20)}`, context: '%\n' }],
  ['url password', { sample: (r) => r.of(ALNUM, 14), context: 'postgres://svc:%@db.internal:5432/app' }],
  ['stripe live', { sample: (r) => `sk_live_${r.of(ALNUM, 24)}` }],
  ['stripe test', { sample: (r) => `rk_test_${r.of(ALNUM, 99)}` }],
  ['stripe webhook', { sample: (r) => `whsec_${r.of(ALNUM, 32)}` }],
  ['jwt', { sample: (r) => `eyJ${r.of(BASE64URL, 33)}.eyJ${r.of(BASE64URL, 80)}.${r.of(BASE64URL, 43)}` }],
  ['gitlab', { sample: (r) => `glpat-${r.of(BASE64URL, 20)}` }],
  ['hugging face', { sample: (r) => `hf_${r.of(ALNUM, 33)}7` }],
  ['google api', { sample: (r) => `AIza${r.of(BASE64URL, 34)}a` }],
  ['google oauth', { sample: (r) => `GOCSPX-${r.of(BASE64URL, 28)}` }],
  ['slack bot', { sample: (r) => `xoxb-${r.of(DIGITS, 12)}-${r.of(DIGITS, 13)}-${r.of(ALNUM, 24)}` }],
  [
    'slack webhook',
    {
      sample: (r) => `T${r.of(UPPER + DIGITS, 8)}/B${r.of(UPPER + DIGITS, 10)}/${r.of(ALNUM, 24)}`,
      context: 'https://hooks.slack.com/services/%',
    },
  ],
  ['github', { sample: (r) => `ghp_${r.of(ALNUM, 36)}` }],
  ['github fine-grained', { sample: (r) => `github_pat_${r.of(ALNUM, 22)}_${r.of(ALNUM, 59)}` }],
  ['npm', { sample: (r) => `npm_${r.of(ALNUM, 36)}` }],
  ['npm configuration', { sample: (r) => r.of(ALNUM, 36), context: '//registry.test/:_authToken=%' }],
  ['openai', { sample: (r) => `sk-proj-${r.of(BASE64URL, 47)}x` }],
  ['openai, older', { sample: (r) => `sk-${r.of(ALNUM, 20)}T3BlbkFJ${r.of(ALNUM, 20)}` }],
  ['anthropic', { sample: (r) => `sk-ant-api03-${r.of(BASE64URL, 93)}AA` }],
  ['sendgrid', { sample: (r) => `SG.${r.of(BASE64URL, 22)}.${r.of(BASE64URL, 42)}a` }],
  ['twilio', { sample: (r) => `SK${r.of(HEX, 32)}` }],
  ['mailgun', { sample: (r) => `key-${r.of(HEX, 32)}` }],
  ['mailchimp', { sample: (r) => `${r.of(HEX, 32)}-us${r.from(1, 20)}` }],
  ['shopify', { sample: (r) => `shpat_${r.of(HEX, 32)}` }],
  ['pypi', { sample: (r) => `pypi-AgEIcHlwaS5vcmc${r.of(BASE64URL, 70)}` }],
  ['docker', { sample: (r) => `dckr_pat_${r.of(BASE64URL, 27)}` }],
  ['digitalocean', { sample: (r) => `dop_v1_${r.of(HEX, 64)}` }],
  ['linear', { sample: (r) => `lin_api_${r.of(ALNUM, 40)}` }],
  ['notion', { sample: (r) => `ntn_${r.of(ALNUM, 46)}` }],
  ['databricks', { sample: (r) => `dapi${r.of(HEX, 32)}` }],
  ['vault', { sample: (r) => `hvs.${r.of(BASE64URL, 94)}1a` }],
  ['azure storage', { sample: (r) => `${r.of(BASE64, 86)}==`, context: 'AccountName=x;AccountKey=%;EndpointSuffix=y' }],
  ['grafana', { sample: (r) => `glsa_${r.of(ALNUM, 32)}_${r.of(HEX, 8)}` }],
  ['figma', { sample: (r) => `figd_${r.of(BASE64URL, 40)}` }],
  ['telegram', { sample: (r) => `${r.from(1e8, 9e9)}:AA${r.of(BASE64URL, 33)}`.replace(/[-_]$/, 'a') }],
  ['bearer', { sample: (r) => `${r.of(ALNUM, 39)}7`, context: 'curl -H "Authorization: Bearer %" x' }],
  ['generic api key', { sample: (r) => `${r.of(ALNUM, 31)}4`, context: 'api_key = "%"' }],
  ['generic client secret', { sample: (r) => `${r.of(ALNUM, 39)}4`, context: 'CLIENT_SECRET=%' }],
  ['generic token in JSON', { sample: (r) => r.of(HEX, 40), context: '{"access_token": "%"}' }],
  ['generic password', { sample: (r) => `${r.of(ALNUM, 19)}4`, context: "password: '%'" }],
];

/** Each was taken for a credential by one scanner or another. */
export const CLEAN_TEXTS: readonly string[] = [
  'Set `api_key: YOUR_API_KEY` or `token = "<your-token-here>"`.',
  `password: \${DB_PASSWORD}`,
  'const token = process.env.ACCESS_TOKEN; const secret = config.get("client_secret");',
  'password: changeme\nsecret: example-secret-value\ntoken: xxxxxxxxxxxxxxxxxxxxxxxx\napi_key: ****************',
  'postgres://user:password@localhost:5432/db and https://<user>:<password>@host.test',
  `redis://:\${PASS}@x`,
  'git clone https://github.com/owner/repo.git@v1.2.3; mailto:someone@example.test; ssh://git@host.test:22/x',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b and sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '"integrity": "sha512-Zt6Ub3GmVd9sQ0yVYvIsgcqNnU1rZ5oqXk1m8i9bS5ttWZqk7hJ2Kx0p9W3e5dA=="',
  'The `clientRequestToken` is `16bc6e70-f972-4260-b18a-db1b623cb35c`; use nextToken: eyJvZmZzZXQiOjEwMH0= to go on.',
  'Culture=neutral, PublicKeyToken=31bf3856ad364e35',
  `The key must begin with "${dashes}BEGIN RSA PRIVATE KEY${dashes}" and end with "${dashes}END RSA PRIVATE KEY${dashes}".`,
  'a task-oriented risk-averse disk-usage-analysis-for-kubernetes-clusters sk-learn-compatible-estimators-and-pipelines',
  'The tokenizer: Base64UrlEncodedValue, access-token-lifetime: PT1H, token_endpoint_auth_method: client_secret_basic',
  'secret_key_base and secret-manager: projects/my-project/secrets/my-secret/versions/latest',
  'Authorization: Bearer <token>\nAuthorization: Bearer $TOKEN\nX-Token: {{token}}',
  'npm_config_registry, hf_transformers_pretrained_model_names, ghp_ prefixes and AKIA ids are explained below.',
  'JWTs begin with eyJ because that is `{"` in base64: header.payload.signature.',
];
