/** The operations on a path. `share`: the file is handed to another worker, which reads it. */
export const operations = ['read', 'write', 'delete', 'share'] as const
export type Operation = (typeof operations)[number]

/**
 * One access to a path. Paths are canonical and relative to the workspace root, `/`-separated; `''`
 * is the root.
 */
export interface Access {
  readonly operation: Operation
  readonly path: string
  /** `directory` when the call lists or searches below the path */
  readonly target: 'file' | 'directory'
}

/** Whether an access changes the path; reading and sharing do not. */
export function isChange({ operation }: Pick<Access, 'operation'>): boolean {
  return operation === 'write' || operation === 'delete'
}
