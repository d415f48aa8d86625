/** What other parts of the folder may refer to. */
export interface Names {
  readonly teams: ReadonlySet<string>
  readonly queues: ReadonlySet<string>
  readonly workers: ReadonlySet<string>
}
