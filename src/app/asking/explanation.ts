/** The ways a package is explained, for the surfaces: they may not look into stages, so what they need stands here. */
export { explainHtml } from '../../context/explain-html.js';
export { explainPackage, type PaintRole } from '../../context/explain-text.js';
