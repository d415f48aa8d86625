import type { Selectable } from 'kysely'
import type { ExecutionTable } from '#store/tables/runs.ts'
import { unknownText } from '../../transcript/result-texts.ts'
import type { CallResult } from '../../transcript/store-result.ts'

/** The result for the model after a person has settled an unknown attempt. */
export function settledResult(execution: Pick<Selectable<ExecutionTable>, 'state'>): CallResult {
  if (execution.state === 'succeeded') {
    return {
      type: 'output',
      output: null,
      text: 'The connection to this call was lost while it ran. A person checked and found that it took effect. Its output is not known.',
    }
  }
  if (execution.state === 'failed') {
    return {
      type: 'error',
      text: 'The connection to this call was lost while it ran. A person checked and found that it did not take effect.',
    }
  }
  return { type: 'unknown', text: unknownText() }
}
