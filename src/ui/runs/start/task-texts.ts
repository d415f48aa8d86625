import type { JsonObject } from '#domain/json/json.ts'
import { fieldTexts, readInput, type InputValues } from '../calls/tool-input.ts'

/** The texts of the task in a form: of the one field, or of the fields of the worker's input. */
export interface TaskTexts {
  readonly task: string
  readonly values: InputValues
}

/** The input of a run: its task, or what the fields of the worker's form show. Pure. */
export function runInput(
  { input: schema }: { readonly input: JsonObject | null },
  { task, values }: TaskTexts,
): string | JsonObject {
  return schema === null ? task : readInput(schema, fieldTexts(schema, values))
}
