import type { Command } from 'commander'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { connect } from '../service/connect.ts'
import { addList, type ServiceOptions, withService } from '../service/service-options.ts'
import { printableLine } from '../text/terminal-text.ts'
import { table } from '../text/table.ts'
import { fromNow } from '../text/times.ts'
import { withExamples } from './examples.ts'
import { addPauseCommands, lastRunText, requireNamed } from './starts.ts'

type Options = ServiceOptions & { json?: boolean }

/** `countersign schedules [ls|show|pause|resume|trigger]`. */
export function addSchedulesCommand(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('list, pause, resume and trigger schedules')
  const ls = addList(schedules)
    .description('list the schedules, each with its next start and its last run')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const list = await (await connect(options)).call('listSchedules', {})
      if (options.json === true) return console.log(JSON.stringify(list))
      const header = ['name', 'worker', 'cron', 'zone', 'as', 'next', 'last run']
      console.log(table(header, list.items.map(rowOf), 'There are no schedules.'))
    })
  withExamples(ls, ['schedules', 'schedules ls --json'])
  const show = withService(schedules.command('show'))
    .description('show one schedule, with its next start and its last run')
    .argument('<name>', 'its name in countersign.yaml')
    .option('--json', 'print JSON')
    .action(showSchedule)
  withExamples(show, ['schedules show nightly', 'schedules show nightly --json'])
  addPauseCommands(schedules, {
    kind: 'schedule',
    example: 'nightly',
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
    .action(async (name: string, options: Options) => {
      const run = await (await connect(options)).call('triggerSchedule', { params: { name } })
      console.log(options.json === true ? JSON.stringify(run) : `Started run #${run.number}.`)
    })
  withExamples(trigger, ['schedules trigger nightly'])
}

async function showSchedule(name: string, options: Options): Promise<void> {
  const { items } = await (await connect(options)).call('listSchedules', {})
  const schedule = requireNamed('schedule', name, items)
  if (options.json === true) return console.log(JSON.stringify(schedule))
  const [, worker, cron, zone, as, next, last = ''] = rowOf(schedule)
  console.log(
    [
      `schedule ${printableLine(name)} of ${worker}, as ${as}`,
      `${cron} (${zone}), next ${next}`,
      last === '' ? 'no run yet' : `last run ${last}`,
    ].join('\n'),
  )
}

function rowOf(schedule: Schedule): string[] {
  const { name, worker, cron, timezone, as, lastRun } = schedule
  return [
    printableLine(name),
    printableLine(worker),
    cron,
    timezone,
    printableLine(as?.name ?? ''),
    nextOf(schedule),
    lastRunText(lastRun),
  ]
}

function nextOf({ paused, nextAt }: Schedule): string {
  if (paused) return 'paused'
  return nextAt === null ? 'never' : fromNow(nextAt)
}
