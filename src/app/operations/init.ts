/**
 * init: writes a commented colophon.yaml, or prints the one it would write.
 *
 * Invariant: an existing file is never overwritten without `force`, and never half: the new one is renamed into place.
 */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../kernel/errors.js';
import { CONFIG_NAME } from '../configuration/config.js';
import { parseConfigFile } from '../configuration/config-file.js';
import { personalTemplate, teamTemplate } from '../configuration/config-template.js';
import { registerFolder } from '../configuration/registration.js';
import { prepareStateFolder, SCHEMA_FILE, STATE_FOLDER } from '../state-folder.js';
import { writeWhole } from '../write-whole.js';
import { answer } from './wire.js';

export const initInput = z.object({
  folder: z.string(),
  team: z.boolean().default(false),
  print: z.boolean().default(false),
  force: z.boolean().default(false),
});

export const initOutput = answer('init', {
  file: z.string(),
  profile: z.enum(['personal', 'team']),
  written: z.boolean(),
  text: z.string(),
});

const USUAL_FOLDERS = ['docs', 'doc', 'documentation', 'handbook', 'content', 'adr', 'wiki'];

export async function init(input: z.output<typeof initInput>): Promise<z.output<typeof initOutput>> {
  const folder = resolve(input.folder);
  const file = join(folder, CONFIG_NAME);
  const folders = await documentFolders(folder);
  const facts = { schema: `./${STATE_FOLDER}/${SCHEMA_FILE}`, folders, connector: (await registerFolder(folder)).location.connector };
  const text = input.team ? teamTemplate(facts) : personalTemplate(facts);
  parseConfigFile(text, file);
  if (!input.print) {
    if (!input.force) await refuseOverwrite(file);
    await writeWhole(file, text);
    await prepareStateFolder(join(folder, STATE_FOLDER));
  }
  return { schema: 'colophon/init@1', problems: [], file, profile: input.team ? 'team' : 'personal', written: !input.print, text };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The folders a person would name; the whole folder when there is none of them. */
async function documentFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT' ? 'there is no such folder' : error.code === 'ENOTDIR' ? 'this is a file, not a folder' : error.message;
    throw new Fault('library/missing', { path: folder, reason }, { cause: error });
  });
  const found = USUAL_FOLDERS.filter((name) => entries.some((entry) => entry.isDirectory() && entry.name === name));
  return found.length === 0 ? ['.'] : found.map((name) => `./${name}`);
}

async function refuseOverwrite(file: string): Promise<void> {
  if (await isThere(file)) {
    throw new Fault('input/invalid', {
      field: file,
      expected: 'absent; `--force` writes over it, `--print` only shows what would be written',
    });
  }
}
