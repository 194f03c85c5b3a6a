/**
 * Rules: how the credentials of common services look.
 *
 * A rule has literal anchors, one of which every match holds, so that a page without them costs one pass of `includes`. Where a
 * pattern names a group `value`, only that is the secret; else the whole match is.
 *
 * Invariant: every pattern takes linear time; repetition is bounded wherever two parts could share characters.
 */
import { isPlaceholder, looksRandom } from './randomness.js';

export interface SecretRule {
  readonly kind: string;
  readonly anchors: readonly string[];
  /** Global, with indices. */
  readonly pattern: RegExp;
  /** Cheaper to look for than the pattern, and within each of its matches. */
  readonly core?: RegExp;
  /** The value, and what stands before the match. */
  readonly accepts?: (value: string, before: string) => boolean;
}

const rule = (kind: string, anchors: readonly string[], pattern: RegExp, accepts?: SecretRule['accepts']): SecretRule => ({
  kind,
  anchors,
  pattern,
  ...(accepts === undefined ? {} : { accepts }),
});
const real = (value: string) => !isPlaceholder(value);

/** Between the markers stands a line of base64, or a long run of it: an instruction that only names the markers has none. */
function holdsKeyText(block: string): boolean {
  const body = block.replace(/-{3,5}[ ]?(?:BEGIN|END)[A-Z0-9 ]{1,60}-{3,5}/g, ' ');
  return /[A-Za-z0-9+/]{24,}/.test(body) || /(?:^|\n|\\n)[ \t>|]*[A-Za-z0-9+/]{4,}={0,2}[ \t"']*(?:$|\n|\\n)/.test(body);
}

/** Credentials known by their own shape. */
export const SHAPED: readonly SecretRule[] = [
  rule(
    'private-key',
    ['PRIVATE KEY'],
    /-{3,5}[ ]?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?[ ]?-{3,5}(?:(?:(?!-----(?:BEGIN|END))[\s\S]){0,20000}?-{3,5}[ ]?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?[ ]?-{3,5}|(?:(?:\s|\\n|\\r|[>|"'+]){1,40}[A-Za-z0-9+/=]{16,200}(?![A-Za-z0-9+/=])){0,400}(?:(?:\s|\\n){1,4}[A-Za-z0-9+/]{4,64}={0,2}(?=[ \t]*(?:\n|$)|["'\\]))?)/dg,
    holdsKeyText,
  ),
  rule('age-key', ['AGE-SECRET-KEY-1'], /AGE-SECRET-KEY-1[0-9A-Z]{50,70}/dg),
  rule('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/dg),
  rule('anthropic', ['sk-ant-'], /sk-ant-[\w-]{20,200}/dg),
  rule('openai', ['sk-'], /(?<![\w-])sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,220}(?![\w-])/dg, looksRandom),
  rule(
    'stripe',
    ['k_live_', 'k_test_', 'whsec_'],
    /(?<![A-Za-z0-9])(?:[rsp]k_(?:live|test)_[A-Za-z0-9]{10,120}|whsec_[A-Za-z0-9+/=]{24,120})/dg,
    real,
  ),
  rule('jwt', ['eyJ'], /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{10,4000}/dg),
  rule('mapbox', ['sk.eyJ'], /(?<![\w-])sk\.eyJ[\w-]{20,400}\.[\w-]{15,100}/dg),
  rule(
    'gitlab',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glcbt-', 'GR1348941'],
    /(?<![\w-])(?:gl(?:pat|dt|rt|ptt|soat|ft|imt|agent|oas|cbt)-[\w.-]{20,300}|GR1348941[\w-]{20,100})/dg,
    real,
  ),
  rule(
    'github',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})/dg,
    real,
  ),
  // Glued to a word before them, these count when their body has exactly the length it must have.
  rule('github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /(?<=[A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36}(?![A-Za-z0-9])/dg, looksRandom),
  rule('npm', ['npm_'], /(?<=[A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/dg, looksRandom),
  rule('gitlab', ['glpat-'], /(?<=[\w-])glpat-[\w-]{20}(?![\w-])/dg, looksRandom),
  rule('stripe', ['k_live_'], /(?<=[A-Za-z0-9])[rsp]k_live_[A-Za-z0-9]{24,99}(?![A-Za-z0-9])/dg, looksRandom),
  rule('slack', ['xoxb-', 'xoxp-'], /(?<=[A-Za-z0-9])xox[bp]-\d{9,13}-\d{9,13}-[\w-]{20,80}/dg, real),
  rule('google-api', ['AIza'], /(?<=[\w-])AIza[\w-]{35}(?![\w-])/dg, looksRandom),
  rule('aws-access-key', ['AKIA', 'ASIA'], /(?<=[A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9+/=])/dg, real),
  rule('npm', ['npm_'], /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/dg, real),
  rule('npm', ['_authToken'], /:_authToken=(?<value>[^\s$"'`<>{}]{16,300})/dg, real),
  rule('hugging-face', ['hf_', 'api_org_'], /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{30,80}(?![A-Za-z0-9_])/dg, looksRandom),
  rule('google-api', ['AIza'], /(?<![A-Za-z0-9])AIza[\w-]{35}(?![\w-])/dg),
  rule('google-oauth', ['GOCSPX-', 'ya29.'], /(?<![A-Za-z0-9])(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{20,400})/dg),
  rule(
    'slack',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    /(?<![A-Za-z0-9])(?:xox[abeoprs][.-][\w.-]{10,300}|xapp-\d-[\w-]{10,300})/dg,
    real,
  ),
  rule(
    'slack-webhook',
    ['hooks.slack.com'],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[A-Za-z0-9+/]{20,200})/dg,
    (value) => real(value) && looksRandom(value.slice(-24)),
  ),
  rule('discord-webhook', ['/api/webhooks/'], /discord(?:app)?\.com\/api\/webhooks\/(?<value>\d{16,20}\/[\w-]{60,80})/dg),
  {
    kind: 'discord',
    anchors: ['.'],
    core: /\.[\w-]{6}\.[\w-]{27}/,
    pattern: /(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])/dg,
    accepts: looksRandom,
  },
  rule('telegram', [':AA'], /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/dg),
  rule('sendgrid', ['SG.'], /(?<![A-Za-z0-9])SG\.[\w-]{16,32}\.[\w-]{16,64}(?![\w-])/dg),
  rule('twilio', ['SK'], /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/dg),
  rule('mailgun', ['key-'], /(?<![\w-])key-[0-9a-f]{32}(?![\w-])/dg),
  {
    kind: 'mailchimp',
    anchors: ['-us'],
    core: /-us\d/,
    pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/dg,
  },
  rule('shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/dg),
  rule('pypi', ['pypi-'], /pypi-[\w-]{50,300}/dg),
  rule('rubygems', ['rubygems_'], /rubygems_[a-f0-9]{48}/dg),
  rule('docker', ['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[\w-]{20,100}/dg),
  rule('digitalocean', ['_v1_'], /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/dg),
  rule('linear', ['lin_api_', 'lin_oauth_'], /(?<![A-Za-z0-9])lin_(?:api|oauth)_[A-Za-z0-9]{32,80}/dg),
  rule('notion', ['secret_', 'ntn_'], /(?<![A-Za-z0-9])(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60})(?![A-Za-z0-9])/dg),
  rule('databricks', ['dapi'], /(?<![A-Za-z0-9])dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])/dg),
  rule('vault', ['hvs.', 'hvb.', 'hvr.'], /(?<![A-Za-z0-9])hv[sbr]\.[\w-]{20,300}/dg, looksRandom),
  rule('azure-storage', ['AccountKey=', 'SharedAccessKey='], /(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,90}={0,2})/dg, real),
  rule('azure-client-secret', ['8Q~', '7Q~'], /(?<![\w.~-])[\w.~-]{3}[78]Q~[\w.~-]{31,34}(?![\w.~-])/dg),
  rule('grafana', ['glsa_', 'glc_'], /(?<![A-Za-z0-9])(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400})/dg),
  rule('figma', ['figd_', 'figo_'], /(?<![A-Za-z0-9])fig[do]_[\w-]{30,100}/dg),
  rule('postman', ['PMAK-'], /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/dg),
  rule('new-relic', ['NRAK-', 'NRJS-', 'NRII-'], /(?<![A-Za-z0-9])NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,64}/dg),
  rule('square', ['sq0atp-', 'sq0csp-', 'EAAA'], /(?<![A-Za-z0-9])(?:sq0(?:atp|csp)-[\w-]{22,60}|EAAA[\w-]{60})(?![\w-])/dg),
  rule('doppler', ['dp.'], /(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,44}/dg),
  rule('groq', ['gsk_'], /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,60}/dg),
  rule('replicate', ['r8_'], /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37,40}(?![A-Za-z0-9])/dg),
  rule(
    'model-provider',
    ['pplx-', 'xai-', 'nvapi-', 'tgp_v1_', 'fw_'],
    /(?<![A-Za-z0-9])(?:pplx-[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{70,90}|nvapi-[\w-]{60,80}|tgp_v1_[\w-]{40,60}|fw_[A-Za-z0-9]{22,30})(?![A-Za-z0-9])/dg,
    looksRandom,
  ),
  rule('atlassian', ['ATATT3', 'ATCTT3', 'ATBB'], /(?<![A-Za-z0-9])(?:AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{28,40})/dg),
  rule('sentry', ['sntrys_', 'sntryu_'], /sntry[su]_[A-Za-z0-9+/=_-]{40,400}/dg),
  rule('tailscale', ['tskey-'], /tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{16,60}/dg, real),
  rule('supabase', ['sbp_', 'sb_secret_'], /(?<![A-Za-z0-9])(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})/dg),
  rule('planetscale', ['pscale_'], /pscale_(?:tkn|oauth|pw)_[\w.-]{32,64}/dg),
  rule('airtable', ['pat'], /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/dg),
  rule('heroku', ['HRKU-'], /HRKU-[\w-]{36,80}/dg),
  rule('facebook', ['EAA'], /(?<![A-Za-z0-9])EAA[A-Za-z0-9]{80,300}/dg, looksRandom),
  rule('dropbox', ['sl.'], /(?<![\w.-])sl\.(?:u\.)?[\w-]{120,1400}/dg),
  rule('cloudflare', ['v1.0-'], /(?<![A-Za-z0-9])v1\.0-[a-f0-9]{24}-[a-f0-9]{146}/dg),
  rule('pulumi', ['pul-'], /(?<![A-Za-z0-9])pul-[a-f0-9]{40}/dg),
  rule('terraform', ['.atlasv1.'], /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}/dg),
];

/** The name of a setting that holds a credential, up to the sign before its value. */
const SECRET_NAME =
  /(?:api[_-]?key|apikey|(?:secret|access|account|encryption|signing|master|shared|storage)[_-]?key|token|client[_-]?secret|secret|passw(?:or)?d|passphrase|pwd)["'`\]]{0,2}[ \t]{0,3}$/i;
/** `arn:…:secret` names a secret and is none. */
const RESOURCE_NAME = /:secret$/i;
/** Tokens that name a request, a page of results or an assembly; they open nothing. */
const HARMLESS_TOKEN =
  /(?:request|client|creation|next|continuation|pagination|page|idempotency|postman|public[ _-]?key|resume|sync|cancellation)[ _-]?token["'`\]]{0,2}[ \t]{0,3}$/i;

/** Credentials known by the words around them. Placeholders and words are not credentials. */
export const NAMED: readonly SecretRule[] = [
  {
    ...rule(
      'url-password',
      ['://'],
      /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"<>`[\]]{0,100}:(?<value>[^\s@/'"<>`[\]]{3,200})@(?=[\w[-])/dgi,
      real,
    ),
    core: /:\/\/[^\s:@/'"<>`[\]]{0,100}:[^\s@/'"<>`[\]]{3,200}@/,
  },
  rule(
    'aws-secret-key',
    ['aws', 'AWS', 'ecret'],
    /(?:aws|secret)[\w ."'-]{0,40}(?:key|secret)[\w"'\]]{0,10}\s{0,3}(?:[:=]|=>)\s{0,3}["'`]?(?<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    isMixed,
  ),
  rule('bearer-token', ['earer ', 'EARER '], /\bbearer\s{1,3}(?<value>[\w.~+/-]{20,2000}={0,2})/dgi, looksRandom),
  rule('basic-auth', ['asic '], /authorization["']?\s{0,3}[:=]\s{0,3}["']?basic\s{1,3}(?<value>[A-Za-z0-9+/]{12,400}={0,2})/dgi, real),
  rule(
    'generic',
    [],
    /(?:=>|:=|[:=])[ \t]{0,3}["'`]?(?<value>[A-Za-z0-9_\-.~+/=!@#%^*]{16,200})(?=["'`\s,;)}\]<&]|$)/dg,
    (value, before) => SECRET_NAME.test(before) && !HARMLESS_TOKEN.test(before) && !RESOURCE_NAME.test(before) && looksRandom(value),
  ),
];

/** Forty characters of base64 in both cases: not a path, a sum in hexadecimal, or a row of one letter. */
function isMixed(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /[0-9+/]/.test(value) && new Set(value).size > 8;
}
