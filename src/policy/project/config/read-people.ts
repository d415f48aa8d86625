import type { ConfiguredPerson, Team } from '../../policy.ts'
import {
  readEntries,
  readFields,
  readItems,
  spotSource,
  wrong,
  type Spot,
} from '../../reading/spot.ts'
import { checkName, readEmail, readText, warnOfCase } from '../../reading/values.ts'
import { person, team } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Reads `people`: e-mail addresses and names. */
export function readPeople(spot: Spot): ConfiguredPerson[] {
  const people = new Map<string, ConfiguredPerson>()
  for (const item of readItems(spot)) {
    const fields = readFields(item, keysOf(person))
    const emailSpot = fields?.get('email') ?? null
    if (fields === null) continue
    if (emailSpot === null) {
      wrong(item, 'has no "email"', 'write `{ email: ada@example.com, name: Ada }`')
      continue
    }
    const email = readEmail(emailSpot)
    if (email === null) continue
    if (people.has(email)) wrong(emailSpot, `names ${email} twice`, 'list each person once')
    const nameSpot = fields.get('name')
    const name = nameSpot === null ? null : readText(nameSpot)
    people.set(email, { email, name: name ?? nameFromEmail(email) })
  }
  return [...people.values()]
}

/** Reads `teams`. A team may be empty; who needs it finds out when a run starts (product.md 22). */
export function readTeams(spot: Spot): Map<string, Team> {
  const teams = new Map<string, Team>()
  for (const [name, value] of readEntries(spot)) {
    if (!checkName(value, name)) continue
    warnOfCase(value, name, teams.values())
    const fields = readFields(value, keysOf(team))
    const membersSpot = fields?.get('members') ?? null
    const members = membersSpot === null ? [] : readMembers(membersSpot)
    teams.set(name, { name, members, source: spotSource(value) })
  }
  return teams
}

function readMembers(spot: Spot): string[] {
  const members = new Set<string>()
  for (const item of readItems(spot)) {
    const email = readEmail(item)
    if (email === null) continue
    if (members.has(email)) wrong(item, `names ${email} twice`, 'list each member once')
    members.add(email)
  }
  return [...members]
}

/** Everybody: those listed, then those that only a team names, called by their address. */
export function everybody(
  listed: readonly ConfiguredPerson[],
  teams: ReadonlyMap<string, Team>,
): ConfiguredPerson[] {
  const people = new Map(listed.map((person) => [person.email, person]))
  for (const email of [...teams.values()].flatMap((team) => team.members)) {
    if (!people.has(email)) people.set(email, { email, name: nameFromEmail(email) })
  }
  return [...people.values()]
}

/** `grace.hopper@example.com` is called "Grace Hopper" until `people` says otherwise. */
function nameFromEmail(email: string): string {
  const words = (email.split('@')[0] ?? email).split(/[._-]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email
}
