/** Writes the schemas of colophon.yaml, of policies, of vocabularies, of models and of context requests from those that check them; a test fails while they differ. */
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';

const config = await runnerImport('./src/app/configuration/config-json-schema.ts', { logLevel: 'error' });
writeFileSync(config.module.CONFIG_SCHEMA_FILE, config.module.configJsonSchema());
const request = await runnerImport('./src/app/asking/context-request-json-schema.ts', { logLevel: 'error' });
writeFileSync(request.module.REQUEST_SCHEMA_FILE, request.module.requestJsonSchema());
const policy = await runnerImport('./src/app/policy/policy-json-schema.ts', { logLevel: 'error' });
for (const [file, text] of Object.entries(policy.module.POLICY_SCHEMAS)) writeFileSync(file, text());
const vocabulary = await runnerImport('./src/app/vocabulary/vocabulary-json-schema.ts', { logLevel: 'error' });
writeFileSync(vocabulary.module.VOCABULARY_SCHEMA_FILE, vocabulary.module.vocabularyJsonSchema());
const models = await runnerImport('./src/app/models/models-json-schema.ts', { logLevel: 'error' });
writeFileSync(models.module.MODELS_SCHEMA_FILE, models.module.modelsJsonSchema());
