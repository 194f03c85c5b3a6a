/**
 * Puts a library together: the only file that knows which adapter stands behind which port.
 *
 * Invariant: what a question does not need is not loaded; connectors, scanner and writer arrive when first used.
 */
