import { textIn } from '#domain/json/value-in.ts'
import type { LoggedEvent } from '../findings/logged-event.ts'

/** The people behind a request, by the events before its opening (product.md 17). */
export interface BehindRequest {
  /** id of a person, and the event that put them there */
  readonly people: ReadonlyMap<string, LoggedEvent>
  /** the starts of all runs above are among the events */
  readonly isKnown: boolean
}

interface KnownRun {
  readonly parentRunId: string | null
  readonly people: Map<string, LoggedEvent>
}

/** Derives the people behind each run and each request from the events alone. */
export class PeopleBehind {
  readonly #runs = new Map<string, KnownRun>()
  readonly #requests = new Map<string, { people: Map<string, LoggedEvent>; isKnown: boolean }>()
  /** by request: everybody with an edit in the history of its current revision */
  readonly #editors = new Map<string, Set<string>>()

  take(event: LoggedEvent): void {
    const { runId, requestId } = event
    if (event.type === 'run.started' && runId !== null) this.#start(event, runId)
    if (event.type === 'run.messaged' && runId !== null) this.#putAll(runId, event)
    if (event.type === 'decision.recorded' && textIn(event.detail, 'kind') === 'question') {
      if (runId !== null) this.#putAll(runId, event)
    }
    if (requestId === null) return
    if (event.type === 'request.opened') this.#open(event, requestId)
    if (event.type === 'request.revised') this.#revise(event, requestId)
  }

  of(requestId: string): BehindRequest {
    return this.#requests.get(requestId) ?? { people: new Map(), isKnown: false }
  }

  /** Everybody with an edit in the history of the request's present revision. */
  editorsOf(requestId: string): ReadonlySet<string> {
    return this.#editors.get(requestId) ?? new Set()
  }

  #start(event: LoggedEvent, runId: string): void {
    const people = new Map<string, LoggedEvent>()
    this.#runs.set(runId, { parentRunId: textIn(event.detail, 'parentRunId'), people })
    this.#put(runId, textIn(event.detail, 'startedBy'), event)
    if (event.actor.type === 'machine') this.#putAll(runId, event)
    // For a fork: everybody behind the run that it continues.
    for (const id of namedBehind(event)) this.#put(runId, id, event)
  }

  #putAll(runId: string, event: LoggedEvent): void {
    for (const personId of peopleOf(event)) this.#put(runId, personId, event)
  }

  #put(runId: string, personId: string | null, event: LoggedEvent): void {
    const people = this.#runs.get(runId)?.people
    if (personId !== null && people?.has(personId) === false) people.set(personId, event)
  }

  #open(event: LoggedEvent, requestId: string): void {
    const people = new Map<string, LoggedEvent>()
    let complete = true
    const above = new Set<string>()
    for (let runId = event.runId; runId !== null;) {
      const run = this.#runs.get(runId)
      // Hostile events may name a run as its own parent.
      if (run === undefined || above.has(runId)) {
        complete = false
        break
      }
      above.add(runId)
      for (const [personId, by] of run.people) people.set(personId, by)
      runId = run.parentRunId
    }
    const previous = textIn(event.detail, 'previous')
    const before = previous === null ? undefined : this.#requests.get(previous)
    for (const [personId, by] of before?.people ?? []) people.set(personId, by)
    // A person opens the request of their own call, a program one for its key's owner.
    const served = textIn(event.detail, 'onBehalfOf')
    const asking = [...peopleOf(event), ...(served === null ? [] : [served]), ...namedBehind(event)]
    for (const personId of asking) people.set(personId, event)
    this.#requests.set(requestId, { people, isKnown: complete })
    // The new request is about the same call, including its edits.
    if (previous !== null) this.#editors.set(requestId, new Set(this.editorsOf(previous)))
  }

  #revise(event: LoggedEvent, requestId: string): void {
    const [personId = null] = peopleOf(event)
    if (personId === null) return
    const editors = new Set([...this.editorsOf(requestId), personId])
    this.#editors.set(requestId, editors)
    if (textIn(event.detail, 'edits') !== 'revise') return
    for (const editor of editors) this.#requests.get(requestId)?.people.set(editor, event)
  }
}

/** The people whom the event itself names as behind its run or request. */
function namedBehind({ detail: { behind } }: LoggedEvent): readonly string[] {
  return Array.isArray(behind) ? behind.filter((id) => typeof id === 'string') : []
}

/** The person who acted; or the owner and the proposer of the key that did. */
function peopleOf({ actor }: LoggedEvent): readonly string[] {
  if (actor.type === 'person') return actor.id === null ? [] : [actor.id]
  if (actor.type !== 'machine') return []
  return [actor.ownerId, actor.proposedBy].filter((id) => id !== null)
}
