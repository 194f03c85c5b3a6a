/**
 * Where an author named a place in HTML: `<a name="rota"></a>`, or an `id` on any element. Where the name stands alone on its line, what
 * follows it is meant, which is most often a heading.
 *
 * Invariant: tags in code and in comments name nothing.
 */
import { readFrontMatter } from './front-matter.js';
import { htmlTags } from './outline.js';
import { attributesOf, type HtmlTag } from './outline-html.js';

/** Offset in the text, of the first element with this name. */
export function namedPlace(text: string, name: string, components: boolean): number | undefined {
  if (name === '' || !text.includes(name)) return undefined;
  const { bodyStart } = readFrontMatter(text);
  const tag = htmlTags(text, { bodyStart, components }).find((each) => isNamed(text, each, name));
  return tag === undefined ? undefined : meantBy(text, tag);
}

function isNamed(text: string, tag: HtmlTag, wanted: string): boolean {
  return attributesOf(text, tag).some(
    ({ name, value }) => value === wanted && (name.toLowerCase() === 'id' || (tag.name === 'a' && name.toLowerCase() === 'name')),
  );
}

const TAGS_AND_BLANKS = /(?:\s|<[^<>]{0,500}>)*/y;

function meantBy(text: string, tag: HtmlTag): number {
  const before = text.slice(text.lastIndexOf('\n', tag.start - 1) + 1, tag.start);
  if (/[^\s<>]/.test(before.replace(/<[^<>]{0,500}>/g, ''))) return tag.start;
  TAGS_AND_BLANKS.lastIndex = tag.end;
  TAGS_AND_BLANKS.test(text);
  const next = TAGS_AND_BLANKS.lastIndex;
  return next < text.length ? next : tag.start;
}
