import { numberIn, objectIn, textIn, type LoggedEvent } from '../logged-event.ts'

/** Who stands behind a request, as the events before its opening tell (product.md 17). */
export interface BehindRequest {
  /** id of a person, and the event that put them there */
  readonly people: ReadonlyMap<string, LoggedEvent>
  /** the start of every run above is among the events */
  readonly known: boolean
}

interface KnownRun {
  readonly parentRunId: string | null
  readonly people: Map<string, LoggedEvent>
}

/** Derives, from the events alone, the people behind each run and each request. */
export class PeopleBehind {
  readonly #runs = new Map<string, KnownRun>()
  readonly #requests = new Map<string, { people: Map<string, LoggedEvent>; known: boolean }>()
  /** revision: who edited the call into it */
  readonly #editors = new Map<string, { readonly revision: number; readonly personId: string }>()

  take(event: LoggedEvent): void {
    const { runId, requestId } = event
    if (event.type === 'run.started' && runId !== null) this.#start(event, runId)
    if (event.type === 'run.messaged' && runId !== null) this.#put(runId, personOf(event), event)
    if (event.type === 'decision.recorded' && textIn(event.detail, 'kind') === 'question') {
      if (runId !== null) this.#put(runId, personOf(event), event)
    }
    if (requestId === null) return
    if (event.type === 'request.opened') this.#open(event, requestId)
    if (event.type === 'request.revised') this.#revise(event, requestId)
  }

  of(requestId: string): BehindRequest {
    return this.#requests.get(requestId) ?? { people: new Map(), known: false }
  }

  /** Who edited the call into this revision of the request; `null` when nobody did. */
  editorOf(requestId: string, revision: number): string | null {
    const edit = this.#editors.get(requestId)
    return edit?.revision === revision ? edit.personId : null
  }

  #start(event: LoggedEvent, runId: string): void {
    const people = new Map<string, LoggedEvent>()
    this.#runs.set(runId, { parentRunId: textIn(event.detail, 'parentRunId'), people })
    this.#put(runId, textIn(event.detail, 'startedBy'), event)
    if (event.actor.type === 'machine') this.#put(runId, event.actor.ownerId, event)
  }

  #put(runId: string, personId: string | null, event: LoggedEvent): void {
    const people = this.#runs.get(runId)?.people
    if (personId !== null && people?.has(personId) === false) people.set(personId, event)
  }

  #open(event: LoggedEvent, requestId: string): void {
    const people = new Map<string, LoggedEvent>()
    let known = true
    for (let runId = event.runId; runId !== null;) {
      const run = this.#runs.get(runId)
      if (run === undefined) {
        known = false
        break
      }
      for (const [personId, by] of run.people) people.set(personId, by)
      runId = run.parentRunId
    }
    const previous = textIn(event.detail, 'previous')
    const before = previous === null ? undefined : this.#requests.get(previous)
    for (const [personId, by] of before?.people ?? []) people.set(personId, by)
    // A person opens the request of a call that they made themselves, a program one for its key's owner.
    for (const personId of [personOf(event), textIn(event.detail, 'onBehalfOf')]) {
      if (personId !== null) people.set(personId, event)
    }
    this.#requests.set(requestId, { people, known })
  }

  #revise(event: LoggedEvent, requestId: string): void {
    const personId = personOf(event)
    const revision = numberIn(event.detail, 'revision')
    if (personId === null || revision === null) return
    this.#editors.set(requestId, { revision, personId })
    if (textIn(event.detail, 'edits') === 'revise') {
      this.#requests.get(requestId)?.people.set(personId, event)
    }
  }
}

/** The person who acted, or the owner of the key that did. */
function personOf({ actor, document }: LoggedEvent): string | null {
  if (actor.type === 'person') return actor.id
  return actor.type === 'machine' ? textIn(objectIn(document, 'actor'), 'ownerId') : null
}
