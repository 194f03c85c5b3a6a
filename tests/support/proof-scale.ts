/** How often a property is tried: the everyday number times COLOPHON_PROOF_SCALE (CI and the long proofs set it above 1). */
export function runs(everyday: number): number {
  const scale = Number(process.env['COLOPHON_PROOF_SCALE'] ?? '1');
  if (!(scale > 0)) throw new Error(`COLOPHON_PROOF_SCALE must be a number above 0, not ${process.env['COLOPHON_PROOF_SCALE']}`);
  return Math.max(1, Math.round(everyday * scale));
}
