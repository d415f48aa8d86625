import { sql } from 'kysely'
import { hasWords, searchLimits, type SearchType } from '#domain/search.ts'
import type { Consent } from '#policy/routing.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { likePattern } from '../requests/lists/matching-words.ts'
import type { SearchItem } from './search-item.ts'

/** Finds people, and workers and rules of the policy in force, which are few. */
export async function findNamed(
  ctx: ServiceContext,
  caller: Caller,
  {
    words,
    wanted: types,
  }: { readonly words: readonly string[]; readonly wanted: ReadonlySet<SearchType> },
): Promise<SearchItem[]> {
  const policy = await ctx.policies.inForce()
  return [
    // An API key finds no people, just as it cannot list them.
    ...(types.has('person') && caller.actor.type === 'person' ? await findPeople(ctx, words) : []),
    ...(types.has('worker') ? findWorkers(policy, words) : []),
    ...(types.has('rule') ? findRules(policy, words) : []),
  ]
}

async function findPeople(ctx: ServiceContext, words: readonly string[]): Promise<SearchItem[]> {
  const named = sql`(name || e'\n' || email)`
  const conditions = words.map((word) => sql<boolean>`${named} ilike ${likePattern(word)}`)
  const rows = await ctx.db
    .selectFrom('person')
    .select(['id', 'name', 'email'])
    .select(
      sql<
        string[]
      >`array(select team from team_member where person_id = person.id order by team)`.as('teams'),
    )
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
    .orderBy('name')
    .orderBy('id')
    .limit(searchLimits.items)
    .execute()
  return rows.map(({ id, name, email, teams }) => ({
    type: 'person',
    id,
    title: name,
    detail: [email, ...teams].join(', '),
    url: `/runs?startedBy=${id}`,
  }))
}

function findWorkers({ workers }: Policy, words: readonly string[]): SearchItem[] {
  return [...workers.values()]
    .filter(({ name, description }) => hasWords(`${name}\n${description}`, words))
    .map(({ name, description }) => ({
      type: 'worker',
      id: name,
      title: name,
      detail: description,
      url: workerUrl(name),
    }))
}

function findRules(policy: Policy, words: readonly string[]): SearchItem[] {
  const overlays = policy.config.overlays.map(({ when, consent }, index) => {
    const about = [when.tool, when.path, when.command].flatMap((list) => list ?? [])
    const text = `overlay ${index + 1}: ${[...about, approvalOf(consent)].join(' ')}`
    return ruleItem(`overlay:${index + 1}`, text, consent.source, '/policy')
  })
  const ofWorkers = [...policy.workers.values()].flatMap(rulesOf)
  return [...ofWorkers, ...overlays].filter(({ title, detail, id }) =>
    hasWords(`${id}\n${title}\n${detail}`, words),
  )
}

/** The rules of a worker file, under the ids that requests have. */
function rulesOf(worker: WorkerDefinition): SearchItem[] {
  const url = workerUrl(worker.name)
  const rule = (id: string, text: string, consent: Consent): SearchItem =>
    ruleItem(
      `${worker.name}/${id}`,
      `${text}: ${approvalOf(consent)}`,
      `${worker.name}, ${consent.source}`,
      url,
    )
  const zones = worker.zones.flatMap((zone) =>
    Object.entries(zone.approval).map(([operation, consent]) =>
      rule(`zone:${zone.name}.${operation}`, `zone ${zone.name}: ${operation}`, consent),
    ),
  )
  const commands = (worker.shell?.rules ?? []).map(({ pattern, consent }) =>
    rule(`shell:${pattern.join(' ')}`, `shell rule "${pattern.join(' ')}"`, consent),
  )
  const tools = [...worker.tools].flatMap(([name, { consent }]) =>
    consent === null ? [] : [rule(`tool:${name}`, `tool ${name}`, consent)],
  )
  return [...zones, ...commands, ...tools]
}

function ruleItem(id: string, title: string, detail: string, url: string): SearchItem {
  return { type: 'rule', id, title, detail, url }
}

function approvalOf({ approval }: Consent): string {
  return typeof approval === 'string' ? approval : 'blocked'
}

function workerUrl(name: string): string {
  return `/policy?worker=${encodeURIComponent(name)}`
}
