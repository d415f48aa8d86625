import type { Directory } from './open-directory.ts'

/** Opens the folder at `components`; see `openDirectory`. */
export type Enter = (components: readonly string[]) => Promise<Directory>

/** Beyond this number folders are opened each time, since a process can have few open files. */
const maxOpen = 64

/**
 * Folders that stay open from their first use until this is disposed. A folder that could not be
 * opened is not remembered.
 */
export class OpenFolders implements AsyncDisposable {
  readonly #enter: Enter
  readonly #open = new Map<string, Promise<Directory>>()

  constructor(enter: Enter) {
    this.#enter = enter
  }

  /** Returns a folder that the caller may dispose of as its own. */
  async enter(components: readonly string[]): Promise<Directory> {
    const at = components.join('/')
    const folder = this.#open.get(at)
    if (folder === undefined && this.#open.size >= maxOpen) return this.#enter(components)
    const opening = folder ?? this.#enter(components)
    this.#open.set(at, opening)
    try {
      return { ...(await opening), [Symbol.asyncDispose]: async () => undefined }
    } catch (error) {
      this.#open.delete(at)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const results = await Promise.allSettled(this.#open.values())
    for (const folder of results) {
      if (folder.status === 'fulfilled') await folder.value[Symbol.asyncDispose]()
    }
  }
}
