import type { ProjectConfig, Team, WorkspaceSetting } from '../../policy.ts'
import { openYaml } from '../../reading/open-yaml.ts'
import type { Names } from '../../reading/names.ts'
import type { Report } from '../../reading/report.ts'
import {
  odd,
  readEntries,
  readFields,
  scalarOf,
  shownAt,
  wrong,
  type Fields,
  type Spot,
} from '../../reading/spot.ts'
import { checkName, readReference, readText } from '../../reading/values.ts'
import { everybody, readPeople, readTeams } from './read-people.ts'
import { readQueues } from './read-queues.ts'
import { noRights, readRights } from './read-rights.ts'
import { noWitnesses, readAudit } from './read-audit.ts'
import { readEmail } from './read-email.ts'
import { noRetention, readRetention } from './read-retention.ts'
import { noSignIn, readSignIn } from './read-sign-in.ts'
import { noWebhooks, readWebhooks } from './read-webhooks.ts'
import { readSlack } from './read-slack.ts'
import { readOverlays, readRouting } from './read-routing.ts'
import { configFileSchema, defaults, workspace } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const oneWorkspace: ProjectConfig['workspaces'] = new Map([
  ['default', { root: '.', taskQueue: null }],
])

/** The names of the file that `parseProject` reads first. */
export const configFile = 'countersign.yaml'

/**
 * Reads countersign.yaml as far as it can be read, and the names it defines; what is wrong is in the report. `null` when
 * it is no mapping.
 */
export function readConfig(
  report: Report,
  text: string,
  workerNames: ReadonlySet<string>,
): { readonly config: ProjectConfig; readonly names: Names } | null {
  const root = openYaml(report, configFile, text)
  const fields = root === null ? null : readFields(root, keysOf(configFileSchema))
  if (fields === null) return null
  checkVersion(fields)
  const part = <T>(key: string, read: (spot: Spot) => T, otherwise: T): T => {
    const spot = fields.get(key)
    return spot === null ? otherwise : read(spot)
  }
  const teams = part('teams', readTeams, new Map<string, Team>())
  const listed = part('people', readPeople, [])
  const people = everybody(listed, teams)
  // A name that is written counts as defined even when its own settings are wrong: one mistake, one message.
  const queueNames = part('queues', (spot) => readEntries(spot).map(([name]) => name), [])
  const names = {
    teams: new Set(teams.keys()),
    queues: new Set(queueNames),
    workers: workerNames,
  }
  const config = {
    people,
    teams,
    queues: part('queues', (spot) => readQueues(spot, names), new Map()),
    defaultQueue: part('defaults', (spot) => readDefaultQueue(spot, names.queues), null),
    routing: part('routing', (spot) => readRouting(spot, names), []),
    overlays: part('overlays', (spot) => readOverlays(spot, names), []),
    workspaces: part('workspaces', readWorkspaces, oneWorkspace),
    rights: part(
      'rights',
      (spot) => readRights(spot, names, new Set(people.map((person) => person.email))),
      noRights,
    ),
    signIn: part('signIn', (spot) => readSignIn(spot, names.teams), noSignIn),
    retention: part('retention', readRetention, noRetention),
    webhooks: part('webhooks', (spot) => readWebhooks(spot, names.queues), noWebhooks),
    audit: part('audit', readAudit, noWitnesses),
    email: part('email', readEmail, null),
    slack: part('slack', (spot) => readSlack(spot, names.queues), null),
  }
  return { config, names }
}

function checkVersion(fields: Fields): void {
  const spot = fields.get('version')
  if (spot === null) wrong(fields.spot, 'has no "version"', 'begin it with `version: 1`')
  else if (scalarOf(spot) !== 1) {
    wrong(spot, `is ${shownAt(spot)}`, 'this release reads `version: 1`')
  }
}

function readDefaultQueue(spot: Spot, queues: ReadonlySet<string>): string | null {
  const queue = readFields(spot, keysOf(defaults))?.get('queue') ?? null
  return queue === null ? null : readReference(queue, 'queue', queues)
}

function readWorkspaces(spot: Spot): Map<string, WorkspaceSetting> {
  const workspaces = new Map(oneWorkspace)
  for (const [name, value] of readEntries(spot)) {
    const fields = checkName(value, name) ? readFields(value, keysOf(workspace)) : null
    if (fields === null) continue
    const rootSpot = fields.get('root')
    const queueSpot = fields.get('taskQueue')
    const root = rootSpot === null ? '.' : readText(rootSpot)
    const taskQueue = queueSpot === null ? null : readText(queueSpot)
    if (root !== null) workspaces.set(name, { root, taskQueue })
    if (name !== 'default') odd(value, 'is never used: workers work in "default"', 'remove it')
  }
  return workspaces
}
