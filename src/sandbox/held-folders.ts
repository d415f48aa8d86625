import type { Directory } from './open-directory.ts'

/** Opens the folder at `components`; see `openDirectory`. */
export type Enter = (components: readonly string[], create: boolean) => Promise<Directory>

/** What lies in more folders than this opens the others afresh: open files of a process are few. */
const heldMost = 64

/** Folders that stay open, each from its first use until all are given back. A folder that could not be opened is not remembered. */
export class HeldFolders implements AsyncDisposable {
  readonly #enter: Enter
  readonly #held = new Map<string, Promise<Directory>>()

  constructor(enter: Enter) {
    this.#enter = enter
  }

  /** Answers a folder that the caller disposes of as if it were its own. */
  async enter(components: readonly string[], create: boolean): Promise<Directory> {
    const at = components.join('/')
    const known = this.#held.get(at)
    if (known === undefined && this.#held.size >= heldMost) return this.#enter(components, create)
    const opening = known ?? this.#enter(components, create)
    this.#held.set(at, opening)
    try {
      return { ...(await opening), [Symbol.asyncDispose]: async () => undefined }
    } catch (error) {
      this.#held.delete(at)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#held.values())
    for (const one of opened) {
      if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]()
    }
  }
}
