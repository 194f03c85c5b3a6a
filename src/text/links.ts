/**
 * Links: where does a link on a page lead, judged by its text alone, as a repository's web view would?
 *
 * Relative to the page, decoded once with the raw form as a fallback, the fragment apart. A folder stands for its index page.
 *
 * Invariant: no link resolves to a place above the source's root.
 */
export type ResolvedTarget =
  | { readonly to: 'page'; readonly paths: readonly string[] }
  | { readonly to: 'name'; readonly name: string }
  | { readonly to: 'self' }
  | { readonly to: 'external' };

export interface Resolved {
  readonly target: ResolvedTarget;
  /** Fragment without `#`, decoded. */
  readonly anchor: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const DOCUMENT = /\.(?:md|mdx|markdown|mdown|mkd|txt|rst|adoc|asciidoc)$/i;
const PAGE_OF_SITE = /\.html?$/i;
/** Files that are never pages. */
const ASSET =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|mp4|webm|mov|mp3|wav|ogg|pdf|zip|gz|tgz|tar|xz|7z|css|scss|less|m?js|cjs|jsx|m?ts|cts|tsx|json5?|jsonc|ya?ml|toml|xml|csv|tsv|ini|conf|sh|bash|ps1|bat|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sql|proto|wasm|woff2?|ttf|eot|lock|exe|dll|so|jar|war|deb|rpm|dmg|msi|docx?|xlsx?|pptx?|ipynb|drawio|puml|vue|svelte|astro|tf)$/i;
const INDEX_PAGES = ['index.md', 'README.md', 'readme.md', 'index.mdx', '_index.md'];

/** `page` is the path of the page the link is on. */
export function resolveLink(href: string, page: string): Resolved {
  const { path, anchor } = split(href.trim());
  if (SCHEME.test(path) || path.startsWith('//')) return { target: { to: 'external' }, anchor };
  if (path === '') return { target: { to: 'self' }, anchor };
  const candidates: string[] = [];
  for (const form of forms(path)) {
    const resolved = fromRoot(form, page);
    if (resolved !== undefined) candidates.push(...candidatesFor(resolved, form.endsWith('/') || /(?:^|\/)\.{1,2}$/.test(form)));
  }
  return candidates.length === 0
    ? { target: { to: 'external' }, anchor }
    : { target: { to: 'page', paths: [...new Set(candidates)] }, anchor };
}

/** `[[Page#Heading]]`: a name, looked up among the pages; `[[#Heading]]` is this page. */
export function resolveWikiLink(href: string): Resolved {
  const hash = href.indexOf('#');
  const name = (hash < 0 ? href : href.slice(0, hash)).trim();
  const anchor = hash < 0 ? '' : href.slice(hash + 1).trim();
  if (SCHEME.test(name)) return { target: { to: 'external' }, anchor };
  return name === '' ? { target: { to: 'self' }, anchor } : { target: { to: 'name', name: name.replace(/^\/+/, '') }, anchor };
}

/** A `related` value: a path when it looks like one, else a page's name. */
export function resolveRelated(value: string, page: string): Resolved {
  if (!value.includes('/') && !DOCUMENT.test(split(value).path) && !SCHEME.test(value))
    return resolveWikiLink(value.replace(/^\[\[|\]\]$/g, ''));
  const beside = resolveLink(value, page);
  if (beside.target.to !== 'page' || /^[./]/.test(value)) return beside;
  const below = resolveLink(`/${value}`, page);
  const further = below.target.to === 'page' ? below.target.paths : [];
  return { target: { to: 'page', paths: [...new Set([...beside.target.paths, ...further])] }, anchor: beside.anchor };
}

function split(href: string): { readonly path: string; readonly anchor: string } {
  const hash = href.indexOf('#');
  const before = hash < 0 ? href : href.slice(0, hash);
  const anchor = hash < 0 ? '' : (decoded(href.slice(hash + 1)) ?? href.slice(hash + 1));
  if (SCHEME.test(before)) return { path: before, anchor };
  const query = before.indexOf('?');
  return { path: query < 0 ? before : before.slice(0, query), anchor };
}

/** Decoded first; as written too, when that is something else. */
function forms(path: string): readonly string[] {
  const once = decoded(path);
  return once === undefined || once === path ? [path] : [once, path];
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined; // a literal percent sign
    throw error;
  }
}

function fromRoot(path: string, page: string): string | undefined {
  const folder = path.startsWith('/') ? [] : page.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') folder.push(segment);
    else if (folder.pop() === undefined) return undefined;
  }
  return folder.join('/');
}

function candidatesFor(path: string, isFolder: boolean): readonly string[] {
  const inside = INDEX_PAGES.map((name) => (path === '' ? name : `${path}/${name}`));
  if (path === '') return inside;
  if (isFolder) return [...inside, `${path}.md`, `${path}.mdx`];
  if (DOCUMENT.test(path)) return [path];
  if (PAGE_OF_SITE.test(path)) {
    const stem = path.replace(PAGE_OF_SITE, '');
    return [path, `${stem}.md`, `${stem}.mdx`, `${stem}/index.md`];
  }
  if (ASSET.test(path)) return [];
  return [path, `${path}.md`, `${path}.mdx`, ...inside];
}
