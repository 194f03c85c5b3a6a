/** What a listing gathers on its way through a checkout and the checkouts inside it. */
import type { Problem } from '../../../domain/problem.js';
import type { ListedDocument } from '../../../ports/connector.js';
import { exclusionOf, NOT_A_DOCUMENT, type Selection } from '../disk/selection.js';
import type { Repository } from './repository.js';

/** A repository and the prefix its paths have in the source; the outermost has the empty prefix. */
export interface Module {
  readonly prefix: string;
  readonly repository: Repository;
}

export class Gathering {
  readonly documents: ListedDocument[] = [];
  readonly unseen: string[] = [];
  readonly problems: Problem[] = [];
  readonly ignored: Record<string, number> = {};
  readonly modules: Module[] = [];
  readonly #source: string;
  readonly #selection: Selection;
  readonly #folders = new Map<string, string | null>();

  constructor(source: string, selection: Selection) {
    this.#source = source;
    this.#selection = selection;
  }

  /** True when the path is a document of the source; what a rule leaves out is counted. */
  selects(path: string): boolean {
    const reason = exclusionOf(this.#selection, path, this.#folders);
    if (reason !== undefined && reason !== NOT_A_DOCUMENT && this.#selection.file(path) !== NOT_A_DOCUMENT) this.count(reason);
    return reason === undefined;
  }

  /** True when documents below the folder may be documents of the source. */
  entersFolder(folder: string): boolean {
    return exclusionOf(this.#selection, `${folder}/x.md`, this.#folders) !== 'git-internals' && this.#folderReason(folder) === undefined;
  }

  count(reason: string, by = 1): void {
    this.ignored[reason] = (this.ignored[reason] ?? 0) + by;
  }

  problem(code: Problem['code'], severity: Problem['severity'], path: string, message: string, hint: string): void {
    this.problems.push({ code, severity, source: this.#source, path, message, hint });
  }

  unusableName(path: string): void {
    this.problem('page/unreadable', 'warning', path, `The name of ${path} is not valid UTF-8.`, 'Rename it, then index again.');
  }

  #folderReason(folder: string): string | undefined {
    exclusionOf(this.#selection, `${folder}/x.md`, this.#folders);
    return this.#folders.get(folder) ?? undefined;
  }
}
