/** RET-10: when two passages that say nearly the same say it of different names. */
import { describe, expect, it } from 'vitest';
import { swapsNames } from './swapped-names.js';

const passage = (
  excerpt: string,
  about: { readonly title?: string; readonly path?: string; readonly headings?: readonly string[] } = {},
) => ({
  artifact: { excerpt, headingPath: about.headings ?? [] },
  page: { title: about.title ?? '', path: about.path ?? 'a.md' },
});

describe('swapped names (RET-10)', () => {
  it('tells a name that stands in the place of another', () => {
    const [one, other] = ['The lock was built by Ada Brandt in spring.', 'The lock was built by Carl Brandt in spring.'];
    expect(swapsNames(passage(one), passage(other))).toBe(true);
    expect(swapsNames(passage(one), passage(one))).toBe(false);
  });

  it('takes a longer passage for no contradiction of a shorter one', () => {
    const [short, long] = ['The lock was built by Ada.', 'The lock was built by Ada, with help of Carl.'];
    expect(swapsNames(passage(short), passage(long))).toBe(false);
  });

  it('leaves out what begins a sentence, a line or an item, and what is only spelt in another way', () => {
    expect(swapsNames(passage('Open the gate.\n- Wait.'), passage('Close the gate.\n- Leave.'))).toBe(false);
    expect(swapsNames(passage('see the Quick Start of it'), passage('see the quick start of IT'))).toBe(false);
  });

  it('takes pages of one template for what they are: each names its own subject', () => {
    const text = (what: string) => `Install the agent for ${what} first.`;
    const [java, ruby] = [passage(text('Java'), { title: 'Java agent' }), passage(text('Ruby'), { title: 'Ruby agent' })];
    expect(swapsNames(java, ruby)).toBe(false);
    expect(swapsNames(passage(text('Java'), { path: 'agents/java.md' }), passage(text('Ruby'), { headings: ['Ruby'] }))).toBe(false);
    expect(swapsNames(passage(text('Java')), passage(text('Ruby')))).toBe(true);
  });
});
