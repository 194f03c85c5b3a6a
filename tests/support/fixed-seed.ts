/** Every run tries the same cases. COLOPHON_PROOF_SEED takes another seed, or `any` for a new one each time, which is printed. */
import fc from 'fast-check';

const SEED = 20_240_229;

const asked = process.env['COLOPHON_PROOF_SEED'];
if (asked !== 'any') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked === undefined ? SEED : Number(asked) });
