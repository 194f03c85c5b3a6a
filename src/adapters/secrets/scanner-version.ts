/**
 * The scanner's version, apart from its rules: a run over unchanged sources asks for it and loads nothing else.
 *
 * Invariant: changes whenever another text could be masked, so that every page is then made again.
 */
export const SCANNER_VERSION = 'secrets@3+secretlint@12.0.0';
