import { describe } from 'vitest';
import { noEmbedder, noReranker } from '../../src/adapters/models/none.js';
import { embedderContract, rerankerContract } from './models.contract.js';

describe('embedder: none', () => embedderContract(async () => noEmbedder));
describe('reranker: none', () => rerankerContract(async () => noReranker));
