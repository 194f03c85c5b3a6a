/**
 * `colophon://page/{source}/{+path}`: the address of a page as a resource.
 *
 * Invariant: the path is a key of the index, never joined to a folder; a `..` in it is just a name that is not there.
 */

export const PAGE_TEMPLATE = {
  uriTemplate: 'colophon://page/{source}/{+path}',
  name: 'page',
  title: 'A page of the library',
  mimeType: 'text/markdown',
} as const;

const PREFIX = 'colophon://page/';

export function pageUri(source: string, path: string): string {
  return PREFIX + [source, ...path.split('/')].map(encodeURIComponent).join('/');
}

export function pageFromUri(uri: string): { readonly source: string; readonly path: string } | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  try {
    const [source = '', ...path] = uri.slice(PREFIX.length).split('/').map(decodeURIComponent);
    return source === '' || path.length === 0 ? undefined : { source, path: path.join('/') };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
