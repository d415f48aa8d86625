import { parseObject } from '#domain/json/parse-json.ts'
import { textOrEmpty } from '#domain/json/text-or-empty.ts'
import { useCallback, useState } from 'react'
import { runModes, type RunMode } from '#domain/policy/verdict.ts'
import { useMe } from '../../api/queries.ts'
import { keepInTab } from '../../api/keep-in-tab.ts'
import type { InputValues } from '../calls/tool-input.ts'
import type { StartLink } from './start-link.ts'

/** The texts of the form of a new run. */
export interface StartDraft {
  readonly worker: string
  readonly task: string
  /** the texts of a worker's input form, by field */
  readonly values: InputValues
  /** paths, one on each line */
  readonly files: string
  readonly mode: RunMode
  /** limits of the run; empty: those of the worker */
  readonly turns: string
  readonly tokens: string
  readonly costUsd: string
  /** empty: the first workspace of the worker */
  readonly workspace: string
  /** the query of the link that filled it in; empty: none did */
  readonly link: string
}

const emptyDraft: StartDraft = {
  worker: '',
  task: '',
  values: {},
  files: '',
  mode: 'prompt',
  turns: '',
  tokens: '',
  costUsd: '',
  workspace: '',
  link: '',
}

/**
 * The draft of the form, which survives a reload for this person. The values of a link have
 * precedence over an earlier draft, but not over the person's own changes to the values of the same
 * link.
 */
export function useStartDraft(
  link: StartLink,
): [draft: StartDraft, change: (changes: Partial<StartDraft>) => void, forget: () => void] {
  const { person } = useMe()
  const key = `countersign.draft.start.${person.id}`
  const [draft, setDraft] = useState(() => withLink(readDraft(sessionStorage.getItem(key)), link))
  const change = useCallback(
    (changes: Partial<StartDraft>) =>
      setDraft((before) => {
        const next = { ...before, ...changes }
        keepInTab(key, JSON.stringify(next))
        return next
      }),
    [key],
  )
  const forget = useCallback(() => sessionStorage.removeItem(key), [key])
  return [draft, change, forget]
}

function withLink(draft: StartDraft, link: StartLink): StartDraft {
  if (link.query === draft.link) return draft
  return {
    ...draft,
    worker: link.worker ?? draft.worker,
    task: link.task ?? draft.task,
    values: Object.keys(link.values).length === 0 ? draft.values : link.values,
    link: link.query,
  }
}

/** Reads a stored draft, which an earlier version of the page may have written. */
function readDraft(text: string | null): StartDraft {
  const draft: Partial<Record<keyof StartDraft, unknown>> | null = parseObject(text ?? '')
  if (draft === null) return emptyDraft
  return {
    worker: textOrEmpty(draft.worker),
    task: textOrEmpty(draft.task),
    values: valuesOf(draft.values),
    files: textOrEmpty(draft.files),
    workspace: textOrEmpty(draft.workspace),
    link: textOrEmpty(draft.link),
    mode: runModes.find((one) => one === draft.mode) ?? emptyDraft.mode,
    turns: textOrEmpty(draft.turns),
    tokens: textOrEmpty(draft.tokens),
    costUsd: textOrEmpty(draft.costUsd),
  }
}

function valuesOf(value: unknown): InputValues {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOrEmpty(one)]))
}
