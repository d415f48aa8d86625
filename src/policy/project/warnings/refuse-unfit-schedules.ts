import type { ProjectConfig } from '../../project-config.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { inputProblem } from '../../worker/input-schema.ts'

/**
 * Refuses schedules whose `input` does not fit their worker's schema: none of their runs could
 * start, which would show only at the first time.
 */
export function refuseUnfitSchedules(
  report: Report,
  { schedules }: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  for (const { input, name, source, worker } of schedules.values()) {
    const schema = workers.get(worker)?.input ?? null
    const reason = schema === null ? null : inputProblem(schema, input)
    if (reason === null) continue
    report.error(
      placeOfSource(source),
      `schedule "${name}": ${reason.sentence}, by the "input" of the worker "${worker}"`,
      'write an input that the schema of the worker takes',
    )
  }
}
