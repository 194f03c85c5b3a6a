/**
 * Worth asking: does a prompt ask anything of a library, or does it only steer the conversation?
 *
 * "yes", "try again", "commit this and push" hold words, and some page holds those words too. The floor judges pages; this judges
 * the prompt, and only where nobody asked for knowledge by hand: the prompt hook.
 *
 * Invariant: an identifier (a name with a capital, a digit or a sign inside) always makes a prompt worth asking.
 */
import { queryTokens } from '../../text/analyze.js';

/** Words that people steer with. Folded, inflections written out. */
const STEERING = `add again ahead alright another answer apply ask back better bit bug bugs change changes check clean clear code come commit
continue cool correct create delete do done edit else error errors exactly exit explain file files fine finish first fix fixed folder function
funny give go going good great guess hello help hey hi hmm idea implement it keep last later left less let like line lines list long longer
look lot make maybe mean merge message missing move name need new next nice nope ok okay old open part perfect place plan please point prompt proceed
pull push put question quick read ready really redo refactor remove rename repeat reply rest result retry revert review rewrite right run same save say
see seems send shorter short show simple simpler simplify sorry sound sounds start step stop stuff summarise summarize sure take tell test tests
text thank thanks thing things think this thought time todo try trying turn type understand undo update use using version wait way well with
word words work working works write wrong yeah yep yes yet`;
const STEERING_WORDS: ReadonlySet<string> = new Set(STEERING.split(/\s+/));
const ASKING = /^(?:who|what|whats|when|where|which|why|how|can|could|does|do|is|are|should|may|must)\b|\?\s*$/i;

export function worthAsking(prompt: string): boolean {
  const tokens = queryTokens(prompt);
  if (tokens.some(({ kind, role }) => kind === 'identifier' && role === 'whole') || tokens.some(({ kind }) => kind === 'bigram'))
    return true;
  const telling = new Set(
    tokens
      .filter(({ kind, stop, surface }) => kind === 'word' && !stop && !STEERING_WORDS.has(surface.toLowerCase()))
      .map(({ surface }) => surface.toLowerCase()),
  );
  return telling.size >= (ASKING.test(prompt.trim()) ? 1 : 2);
}
