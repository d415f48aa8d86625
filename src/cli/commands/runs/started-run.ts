import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { pageUrl, type Service } from '../../service/service.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { fromNow } from '../../text/times.ts'

type Warnings = Pick<RunDetail, 'warnings'>

/**
 * The answer to a start with the warnings of the run, which are read afterwards. Without them if
 * they cannot be read, for instance with a key that may only start runs: the run has started.
 */
export async function withWarnings<Run extends { readonly id: string }>(
  service: Service,
  run: Run,
): Promise<Run & Partial<Warnings>> {
  const detail = await service.call('getRun', { params: { id: run.id } }).catch(() => null)
  return detail === null ? run : { ...run, warnings: detail.warnings }
}

/** A run that has just started, with the address of its page and its warnings. */
export function startedText(
  service: Service,
  run: Pick<RunDetail, 'id' | 'worker' | 'mode' | 'number'> & Partial<Warnings>,
): string {
  const { id, worker, mode, number, warnings = [] } = run
  return [
    `run ${id} of ${worker}, mode ${mode}, #${number}`,
    pageUrl(service, `/runs/${id}`),
    ...warningLines({ warnings }),
  ].join('\n')
}

/** That its approvers are away. Queues that wait for the same people have one sentence. */
export function warningLines({ warnings }: Warnings): string[] {
  const untils = new Map(warnings.map(({ text, until }) => [text, until]))
  return [...untils].map(
    ([text, until]) => `! ${printableLine(text)}. The first person is back ${fromNow(until)}.`,
  )
}
