import { readEmailAddress } from '#domain/email-address.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { readModels } from './read-models.ts'
import { configFile } from '../../names/own-files.ts'
import type { ModelSetting } from '../../model-settings.ts'
import type { ProjectConfig, Team } from '../../project-config.ts'
import { openYaml } from '../../reading/open-yaml.ts'
import { type Names, readReference, readText, readDuration } from '../../reading/values.ts'
import type { Report } from '../../reading/report.ts'
import {
  fieldSource,
  readEntries,
  readFields,
  scalarOf,
  valueTextAt,
  wrong,
  type Fields,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { allPeople, readPeople, readTeams, noRights, readRights } from './read-people.ts'
import { readQueues } from './read-queues.ts'
import { noWitnesses, readAuditSettings } from './read-audit.ts'
import { readEmail } from './channels/read-email.ts'
import { noSignIn, readSignIn } from './channels/read-sign-in.ts'
import { noWebhooks, readWebhooks } from './channels/read-webhooks.ts'
import { readSlack } from './channels/read-slack.ts'
import { readGateway } from './read-gateway.ts'
import { readBudgets } from './read-budgets.ts'
import { readSchedules } from './read-schedules.ts'
import { readTriggers } from './read-triggers.ts'
import { oneWorkspace, readWorkspaces } from './read-workspaces.ts'
import { readDeployments } from './read-deployments.ts'
import { readOverlays, readRouting } from './read-routing.ts'
import { configFileSchema, defaults, retention, commit } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'
import type { RetentionSettings, CommitSetting } from '../../settings.ts'

/**
 * Reads countersign.yaml as far as possible, and the names it defines; problems are in the report.
 * `null` when it is not a mapping. `hasModelErrors`: an error can be why a model has no price.
 */
export function readConfig(
  report: Report,
  text: string,
  workerNames: ReadonlySet<string>,
): {
  readonly config: ProjectConfig
  readonly names: Names
  readonly hasModelErrors: boolean
} | null {
  const root = openYaml(report, configFile, text)
  const fields = root === null ? null : readFields(root, keysOf(configFileSchema))
  if (fields === null) return null
  const part = fields.read
  const models = part('models', readModels, new Map<string, ModelSetting>())
  // Before the other keys are read: only an unknown key or the models themselves are wrong so far.
  const hasModelErrors = report.hasErrorsIn(configFile)
  checkVersion(fields)
  const teams = part('teams', readTeams, new Map<string, Team>())
  const peopleEntries = part('people', (field) => readPeople(field, teams), [])
  const people = allPeople(peopleEntries, teams)
  // A name counts as defined even when its own settings are wrong: one mistake, one message.
  const queueNames = part('queues', (field) => readEntries(field).map(([name]) => name), [])
  const workspaceNames = part('workspaces', (field) => readEntries(field).map(([name]) => name), [])
  const names = {
    teams: new Set(teams.keys()),
    queues: new Set(queueNames),
    workers: workerNames,
    endpoints: new Set([...models].flatMap(([name, one]) => (one.endpoint === null ? [] : [name]))),
    workspaces: new Set([defaultWorkspace, ...workspaceNames]),
  }
  const addresses = new Set(people.map((person) => person.email))
  const config = {
    people,
    teams,
    queues: part('queues', (field) => readQueues(field, names), new Map()),
    defaultQueue: part('defaults', (field) => readDefaultQueue(field, names.queues), null),
    ...part('defaults', defaultQueueSource, {}),
    routing: part('routing', (field) => readRouting(field, names), []),
    overlays: part('overlays', (field) => readOverlays(field, names), []),
    workspaces: part('workspaces', readWorkspaces, oneWorkspace),
    models,
    rights: part('rights', (field) => readRights(field, names, addresses), noRights),
    signIn: part('signIn', (field) => readSignIn(field, names.teams), noSignIn),
    retention: part('retention', readRetention, noRetention),
    commit: part('commit', readCommit, null),
    webhooks: part('webhooks', (field) => readWebhooks(field, names.queues), noWebhooks),
    audit: part('audit', readAuditSettings, noWitnesses),
    email: part('email', readEmail, null),
    slack: part('slack', (field) => readSlack(field, names.queues), null),
    mcpServers: part('mcpServers', (field) => readGateway(field, names.queues), new Map()),
    budgets: part('budgets', (field) => readBudgets(field, workerNames), []),
    schedules: part(
      'schedules',
      (field) => readSchedules(field, workerNames, addresses),
      new Map(),
    ),
    triggers: part('triggers', (field) => readTriggers(field, workerNames, addresses), new Map()),
    deployments: part(
      'deployments',
      (field) => readDeployments(field, { queues: names.queues, people: addresses }),
      new Map(),
    ),
  }
  return { config, names, hasModelErrors }
}

function checkVersion(fields: Fields): void {
  const field = fields.getNeeded('version', 'begin it with `version: 1`')
  if (field !== null && scalarOf(field) !== 1) {
    wrong(field, `is ${valueTextAt(field)}`, 'this release reads `version: 1`')
  }
}

function readDefaultQueue(field: YamlField, queues: ReadonlySet<string>): string | null {
  const queue = readFields(field, keysOf(defaults))?.get('queue') ?? null
  return queue === null ? null : readReference(queue, 'queue', queues)
}

function defaultQueueSource(field: YamlField): { readonly defaultQueueSource?: string } {
  const queue = readFields(field, keysOf(defaults))?.get('queue') ?? null
  return queue === null ? {} : { defaultQueueSource: fieldSource(queue) }
}

/** Everything is kept. */
const noRetention: RetentionSettings = { transcriptsMs: null, recordsMs: null }

/** Reads `retention`: the records that are removed after some time. */
function readRetention(field: YamlField): RetentionSettings {
  const fields = readFields(field, keysOf(retention))
  const read = (key: 'transcripts' | 'records'): number | null => {
    const at = fields?.get(key) ?? null
    return at === null ? null : readDuration(at)
  }
  return { transcriptsMs: read('transcripts'), recordsMs: read('records') }
}

/** Reads `commit`: the author of the commits of runs, in place of the worker and the service. */
function readCommit(field: YamlField): CommitSetting | null {
  const fields = readFields(field, keysOf(commit))
  if (fields === null) return null
  const nameField = fields.getNeeded('name', 'write `name: Acme agents`')
  const emailField = fields.getNeeded('email', 'write `email: agents@example.com`')
  const name = nameField === null ? null : readText(nameField)
  const email = emailField === null ? null : readText(emailField)
  if (name !== null && nameField !== null && /[\p{C}<>]/u.test(name)) {
    wrong(nameField, 'has characters that no name of a commit can have', 'leave out < and >')
    return null
  }
  if (email !== null && emailField !== null && readEmailAddress(email) === null) {
    wrong(emailField, 'is not an e-mail address', 'write one like agents@example.com')
    return null
  }
  return name === null || email === null ? null : { name, email }
}
