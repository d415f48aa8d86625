/** What the host of the workspace heard when it asked a server for its tools, for the API to pin. */
export interface HeardServer {
  /** as the worker's file names it */
  readonly server: string
  /** hash, in `content`, of the definitions in canonical JSON; `null`: it has not answered yet */
  readonly definitionsHash: string | null
  /** why not, as a sentence */
  readonly problem: string | null
}

/** The question that goes with it; see `definitionsHere`. */
export interface DefinitionsQuestion {
  /** name of a worker */
  readonly definitionsOf: string
}
