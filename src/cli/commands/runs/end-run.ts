import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { connect } from '../../service/connect.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { runExample, withExamples } from '../examples.ts'
import { runArgument } from '../option-values.ts'

/** `countersign runs cancel`. */
export function addCancel(runs: Command): void {
  const cancel = withService(runs.command('cancel'))
    .description('cancel a run and all its child runs')
    .argument(...runArgument)
    .option('-m, --message <reason>', 'the reason')
    .action(async (id: string, options: ServiceOptions & { message?: string }) => {
      const service = await connect(options)
      const body = options.message === undefined ? {} : { reason: options.message }
      const run = await service.call('cancelRun', { params: { id }, body })
      console.log(`run ${run.id} is ${run.state}`)
    })
  withExamples(cancel, [`runs cancel ${runExample} -m "wrong folder"`])
}

/** `countersign runs close`. */
export function addClose(runs: Command): void {
  const close = withService(runs.command('close'))
    .description('complete a run that waits for a message')
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action(async (id: string, options: ServiceOptions & { json?: boolean }) => {
      const service = await connect(options)
      const closed = await service.call('closeRun', {
        params: { id },
        idempotencyKey: randomUUID(),
      })
      console.log(
        options.json === true ? jsonText(closed) : `run #${closed.number} is ${closed.state}`,
      )
    })
  withExamples(close, [`runs close ${runExample}`, `runs close ${runExample} --json`])
}

/** `countersign runs discard`. */
export function addDiscard(runs: Command): void {
  const discard = withService(runs.command('discard'))
    .summary('remove the worktree of a run that has ended')
    .description(
      'remove the worktree of a run that has ended, and its branch, with what is not merged or committed',
    )
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action(async (id: string, options: ServiceOptions & { json?: boolean }) => {
      const service = await connect(options)
      const run = await service.call('discardRun', { params: { id } })
      console.log(
        options.json === true
          ? jsonText(run)
          : `the worktree of run #${run.number} is discarded, and its branch ${run.workspace.branch ?? ''}`,
      )
    })
  withExamples(discard, [`runs discard ${runExample}`, `runs discard ${runExample} --json`])
}
