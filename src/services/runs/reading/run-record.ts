import type { Run, RunDetail } from '#api/schemas/runs/runs.ts'
import type { RecordOf, WithNulls } from '../../core/record-of.ts'
import type { WorkspaceOfRun } from '../starting/record-run.ts'

/** A run in a list. The schema of the answer declares its members. */
export interface RunRecord extends WithNulls<Omit<RecordOf<Run>, 'workspace'>> {
  readonly workspace: WorkspaceOfRun
}

/** The usage of a run's model steps, including those whose answers were dropped. */
export type RunUsage = RunRecord['usage']

/** Members of the answer that its view knows. */
type ViewMember = 'temporalUrl' | 'workspaceRoot'

/** Everything about a run except its transcript. */
export type RunDetailRecord = RunRecord &
  WithNulls<Omit<RecordOf<RunDetail>, keyof RunRecord | ViewMember>>

/** How much of a run's window is used, in tokens: of the last model step and its answer. */
export type RunContext = RunDetailRecord['context']
