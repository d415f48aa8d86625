import type { Json } from '#domain/json/json.ts'

/** A scripted model's fixed turns (workers-and-policy.md). */
export interface Script {
  readonly turns: readonly ScriptTurn[]
}

export interface ScriptTurn {
  readonly text: string
  readonly calls: readonly {
    readonly id: string | null
    readonly tool: string
    readonly input: Json
  }[]
}
