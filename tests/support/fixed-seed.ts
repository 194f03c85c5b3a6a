/** Everyday runs try the same cases every time; longer proofs (COLOPHON_PROOF_SCALE above 1) try others, and print their seed. */
import fc from 'fast-check';

const SEED = 20_240_229;

if (Number(process.env['COLOPHON_PROOF_SCALE'] ?? '1') <= 1) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
