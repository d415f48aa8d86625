import { withCapital } from '#domain/text/readable-name.ts'
import type { ConfiguredPerson, Team, Holder, ProjectConfig, Right } from '../../project-config.ts'
import {
  readEntries,
  readFields,
  readItems,
  fieldSource,
  wrong,
  type YamlField,
  scalarOf,
} from '../../reading/yaml-field.ts'
import {
  checkName,
  readEmail,
  readText,
  warnOfCase,
  readOneOrMany,
  readReference,
  type Names,
} from '../../reading/values.ts'
import { person, team, rights } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Reads `people`: addresses, names, and earlier addresses, which must belong to nobody else. */
export function readPeople(field: YamlField, teams: ReadonlyMap<string, Team>): ConfiguredPerson[] {
  const people = new Map<string, ConfiguredPerson>()
  const former: { readonly address: string; readonly at: YamlField }[] = []
  for (const item of readItems(field)) {
    const fields = readFields(item, keysOf(person))
    if (fields === null) continue
    const emailField = fields.getNeeded('email', 'write `{ email: ada@example.com, name: Ada }`')
    if (emailField === null) continue
    const email = readEmail(emailField)
    if (email === null) continue
    if (people.has(email)) wrong(emailField, `names ${email} twice`, 'list each person once')
    const name = fields.read('name', readText, null)
    const formerlyField = fields.get('formerly')
    const formerly =
      formerlyField === null
        ? null
        : readOneOrMany(formerlyField, (at) => {
            const address = readEmail(at)
            if (address !== null) former.push({ address, at })
            return address
          })
    people.set(email, {
      email,
      name: name ?? nameFromEmail(email),
      ...(formerly === null ? {} : { formerly }),
    })
  }
  const members = new Set([...teams.values()].flatMap((team) => team.members))
  const earlier = new Set<string>()
  for (const { address, at } of former) {
    const isSomebody = people.has(address) || members.has(address)
    if (isSomebody || earlier.has(address)) {
      const whose = isSomebody ? 'who is still a person of the project' : 'twice'
      wrong(at, `names ${address}, ${whose}`, 'name an earlier address once, and only there')
    }
    earlier.add(address)
  }
  return [...people.values()]
}

/** Reads `teams`. A team may be empty; starting a run that needs it fails (product.md 22). */
export function readTeams(field: YamlField): Map<string, Team> {
  const teams = new Map<string, Team>()
  const compareCase = warnOfCase()
  for (const [name, value] of readEntries(field)) {
    if (!checkName(value, name)) continue
    compareCase(value, name)
    const fields = readFields(value, keysOf(team))
    const membersField = fields?.get('members') ?? null
    const members = membersField === null ? [] : readMembers(membersField)
    teams.set(name, { name, members, source: fieldSource(value) })
  }
  return teams
}

function readMembers(field: YamlField): string[] {
  const members = new Set<string>()
  for (const item of readItems(field)) {
    const email = readEmail(item)
    if (email === null) continue
    if (members.has(email)) wrong(item, `names ${email} twice`, 'list each member once')
    members.add(email)
  }
  return [...members]
}

/** Everybody: those listed, then those that only a team names, with a name from their address. */
export function allPeople(
  entries: readonly ConfiguredPerson[],
  teams: ReadonlyMap<string, Team>,
): ConfiguredPerson[] {
  const people = new Map(entries.map((person) => [person.email, person]))
  for (const email of [...teams.values()].flatMap((team) => team.members)) {
    if (!people.has(email)) people.set(email, { email, name: nameFromEmail(email) })
  }
  return [...people.values()]
}

/** `grace.hopper@example.com` is called "Grace Hopper" until `people` says otherwise. */
function nameFromEmail(email: string): string {
  const words = (email.split('@')[0] ?? email).split(/[._-]+/).filter((word) => word !== '')
  return words.map(withCapital).join(' ') || email
}

/** Nobody has any right. */
export const noRights: ProjectConfig['rights'] = {
  startApproveAll: [],
  manageRuns: [],
  readAudit: [],
  activatePolicy: [],
  managePeople: [],
}

/** Reads `rights`: for each, teams and people (e-mail addresses). */
export function readRights(
  field: YamlField,
  names: Names,
  people: ReadonlySet<string>,
): ProjectConfig['rights'] {
  const fields = readFields(field, keysOf(rights))
  if (fields === null) return noRights
  const holders = (right: Right): readonly Holder[] => {
    const value = fields.get(right)
    if (value === null) return []
    return readOneOrMany(value, (item) => readHolder(item, names, people)) ?? []
  }
  return {
    startApproveAll: holders('startApproveAll'),
    manageRuns: holders('manageRuns'),
    readAudit: holders('readAudit'),
    activatePolicy: holders('activatePolicy'),
    managePeople: holders('managePeople'),
  }
}

function readHolder(field: YamlField, names: Names, people: ReadonlySet<string>): Holder | null {
  const value = scalarOf(field)
  if (typeof value !== 'string' || !value.includes('@')) {
    const team = readReference(field, 'team', names.teams)
    return team === null ? null : { team }
  }
  const person = readEmail(field)
  if (person === null) return null
  if (!people.has(person)) {
    wrong(field, `names ${person}, who is in no team`, 'list them under "people" or in a team')
  }
  return { person }
}
