/**
 * English words that carry little meaning in a question. They stay in the index; a query gives them little weight.
 *
 * Invariant: every entry is folded the way `fold` does it and written without apostrophes (`dont`).
 */
const ENGLISH = `a about above across after again against all also am among an and any are arent as at be because been before being below between both but
by can cannot cant could couldnt did didnt do does doesnt doing dont down during e.g each etc few for from further had hadnt has hasnt
have havent having he her here hers herself him himself his how i i.e id if im in into is isnt it its itself ive just lets like many may
me might more most much must my myself no nor not now of off on once only or other our ours ourselves out over own per please same shall
she should shouldnt so some such than that thats the their theirs them themselves then there theres these they this those through to too
under until up upon us using very via want was wasnt we were werent what whats when where whether which while who whom whose why will with
within without wont would wouldnt you your youre yours yourself yourselves`;

const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.split(/\s+/));

/** True for a folded word that is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
