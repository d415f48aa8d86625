import { isChange, type Access } from '#domain/tools/access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { overlayWorkspace } from '#tools/overlay-workspace.ts'

type Proposal = ReadonlyMap<string, Uint8Array | null> | undefined

/**
 * An earlier call of the turn with effects. `propose` is called at most once, and only when a later
 * call needs it.
 */
interface Writer {
  readonly position: number
  readonly paths: readonly string[]
  propose(): Promise<Proposal>
}

/** The workspace as a call of the turn will find it, and which earlier call that assumes. */
export interface AssumedWorkspace {
  readonly workspace: Workspace
  /** position of the last earlier call that writes to a path of this one; `null`: none */
  readonly assumes: number | null
  readonly earlierWrites: ReadonlySet<string>
}

/**
 * The changes that the calls of a turn propose, in order. A later call is judged and shown as if
 * the earlier calls on its paths had run (product.md 15). Nothing is computed for a call whose
 * paths no later call touches.
 */
export class TurnProposals {
  readonly #base: Workspace
  readonly #writers: Writer[] = []

  constructor(base: Workspace) {
    this.#base = base
  }

  /** Adds a call that runs before those that `below` is called for afterwards. */
  add(position: number, accesses: readonly Access[], propose: () => Promise<Proposal>): void {
    const paths = accesses.filter(isChange).map(({ path }) => path)
    if (paths.length === 0) return
    let proposed: Promise<Proposal> | null = null
    this.#writers.push({ position, paths, propose: () => (proposed ??= propose()) })
  }

  /**
   * The workspace for a call that touches what `readAccesses` answers. It is not called if no
   * earlier call writes, since it asks the tool to parse the call.
   */
  async below(readAccesses: () => Promise<readonly Access[]>): Promise<AssumedWorkspace> {
    const accesses = this.#writers.length === 0 ? [] : await readAccesses()
    const writers = this.#writers.filter((writer) =>
      writer.paths.some((path) => accesses.some((access) => touches(access.path, path))),
    )
    const earlierWrites = new Set(this.#writers.flatMap((writer) => writer.paths))
    const last = writers.at(-1)
    if (last === undefined) return { workspace: this.#base, assumes: null, earlierWrites }
    const merged = new Map<string, Uint8Array | null>()
    for (const writer of writers) {
      for (const [path, bytes] of (await writer.propose()) ?? []) merged.set(path, bytes)
    }
    return {
      workspace: overlayWorkspace(this.#base, merged),
      assumes: last.position,
      earlierWrites,
    }
  }
}

/** Whether both are the same path, or one is below the other. */
function touches(path: string, target: string): boolean {
  return path === target || isBelow(path, target) || isBelow(target, path)
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}
