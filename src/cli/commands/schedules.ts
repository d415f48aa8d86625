import type { Command } from 'commander'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { connect } from '../service/connect.ts'
import { type Columns, withService, type JsonOptions } from '../service/service-options.ts'
import { printableLine } from '../text/terminal-text.ts'
import { missedText } from '../text/missed-text.ts'
import { fromNow } from '../text/times.ts'
import { withExamples } from './examples.ts'
import { addStartCommands, lastRunText } from './starts.ts'
import { jsonText } from '../terminal/json-text.ts'

/** `countersign schedules [ls|show|pause|resume|trigger]`. */
export function addSchedulesCommand(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('list, pause, resume and trigger schedules')
  addStartCommands(schedules, {
    kind: 'schedule',
    example: 'nightly',
    descriptions: {
      ls: 'list the schedules, each with its next start and its last run',
      show: 'show one schedule, with its next start and its last run',
    },
    list: (service) => service.call('listSchedules', {}),
    columns,
    linesOf: ({ missed }, [name, worker, cron, zone, as, next, last = '']) => [
      `schedule ${name} of ${worker}, as ${as}`,
      `${cron} (${zone}), next ${next}`,
      last === '' ? 'no run yet' : `last run ${last}`,
      ...(missed === undefined ? [] : [missedText(missed)]),
    ],
    change: (service, verb, name) =>
      service.call(verb === 'pause' ? 'pauseSchedule' : 'resumeSchedule', { params: { name } }),
    resumedText: (schedule) => `Resumed. Its next run starts ${nextOf(schedule)}.`,
  })
  const trigger = withService(schedules.command('trigger'))
    .description(
      'start a run now, as the person of the schedule; you are a principal of the run too',
    )
    .argument('<name>', 'its name in countersign.yaml')
    .option('--json', 'print JSON')
    .action(async (name: string, options: JsonOptions) => {
      const run = await (await connect(options)).call('triggerSchedule', { params: { name } })
      console.log(options.json === true ? jsonText(run) : `Started run #${run.number}.`)
    })
  withExamples(trigger, ['schedules trigger nightly'])
}

const columns: Columns<Schedule> = {
  name: ({ name }) => printableLine(name),
  worker: ({ worker }) => printableLine(worker),
  cron: ({ cron }) => cron,
  zone: ({ timezone }) => timezone,
  as: ({ as }) => printableLine(as?.name ?? ''),
  next: nextOf,
  'last run': ({ lastRun }) => lastRunText(lastRun),
}

function nextOf({ paused, nextAt }: Schedule): string {
  if (paused) return 'paused'
  return nextAt === null ? 'never' : fromNow(nextAt)
}
