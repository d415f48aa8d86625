import { Radio } from '@mantine/core'
import { useRef } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useAriaKeys, useKeyboard, useShortcut } from '../../../keyboard/keyboard-provider.tsx'
import { platform } from '../../../keyboard/platform.ts'
import { keyNames } from '../../../keyboard/shortcuts.ts'
import type { Choice } from './decision-body.ts'
import { verbs } from '../../../words/verbs.ts'
import '../../../states/choices.css'

/**
 * The possible decisions, deny first. A and D move the focus here and choose; a second press calls
 * `onAgain`. A digit that is pressed here calls `onDigit`, which returns whether it has a meaning.
 */
export function ChoiceList(props: {
  request: RequestDetail
  choice: Choice | null
  onChoose: (choice: Choice) => void
  onAgain: () => void
  onDigit: (digit: number) => boolean
  disabled: boolean
}) {
  const { request, choice, onChoose, onAgain, onDigit, disabled } = props
  const { singleKeys } = useKeyboard()
  /** the choice of the last press, if nothing else was chosen since */
  const lastPress = useRef<Choice | null>(null)
  const group = useRef<HTMLFieldSetElement>(null)
  /** The same key twice in a row, with the choice of the first press. */
  const press = (value: 'approve' | 'deny'): void => {
    if (disabled || !request.allowedDecisions.includes(value)) return
    if (lastPress.current === value && choice === value) return onAgain()
    group.current?.querySelector<HTMLInputElement>(`input[value="${value}"]`)?.focus()
    lastPress.current = value
    onChoose(value)
  }
  useShortcut('deny', () => press('deny'))
  useShortcut('approve', () => press('approve'))
  const ariaKeys = { deny: useAriaKeys('deny'), approve: useAriaKeys('approve') }
  return (
    <fieldset ref={group} className="choices" disabled={disabled}>
      <legend>Decision</legend>
      {optionsOf(request)
        .filter((option) => option.available)
        .map(({ value, label, description, shortcut }) => (
          <Radio
            key={value}
            className="choice"
            wrapperProps={singleKeys && shortcut !== null ? { 'data-key': keyOf(shortcut) } : {}}
            name="decision"
            value={value}
            label={label}
            description={description}
            checked={choice === value}
            // The sheet of a phone opens with the focus on the choice that a key made.
            data-autofocus={choice === value || undefined}
            // Enter on a radio button would submit the form. Only Ctrl or Cmd with Enter may do
            // that.
            onKeyDown={(event) => {
              const isPlain = singleKeys && !event.ctrlKey && !event.metaKey && !event.altKey
              if (event.key === 'Enter' || (isPlain && onDigit(Number(event.key)))) {
                event.preventDefault()
              }
            }}
            onChange={() => {
              lastPress.current = null
              onChoose(value)
            }}
            {...(shortcut !== null && ariaKeys[shortcut])}
          />
        ))}
    </fieldset>
  )
}

/** The choices in order, with their descriptions for this request. */
function optionsOf(request: RequestDetail) {
  const mayDeny = request.allowedDecisions.includes('deny')
  const mayApprove = request.allowedDecisions.includes('approve')
  return [
    {
      value: 'deny',
      label: verbs.deny,
      description: denialWords(request),
      available: mayDeny,
      shortcut: 'deny',
    },
    {
      value: 'stop',
      label: verbs.denyAndStop,
      description: 'Later calls of this turn are cancelled; the run waits for a message.',
      available: mayDeny && request.runId !== null && request.kind !== 'start',
      shortcut: null,
    },
    {
      value: 'approve',
      label: verbs.approve,
      description:
        request.kind === 'start'
          ? 'The run begins with exactly this. Its later calls ask on their own.'
          : 'Exactly the bytes on this page.',
      available: mayApprove,
      shortcut: 'approve',
    },
    {
      value: 'edit',
      label: verbs.approveChanged,
      description: editWords(request),
      available: mayApprove && request.edits !== 'off',
      shortcut: null,
    },
  ] as const
}

function editWords({ edits, missingAfterEdit }: RequestDetail): string {
  if (edits !== 'revise') return 'Change the call, see the new effect, then approve that.'
  return missingAfterEdit.length === 0
    ? 'Change the call; somebody else then decides it.'
    : 'Change the call. At present too few others could then decide it.'
}

function denialWords({ kind, runId }: RequestDetail): string {
  if (kind === 'start') return 'The run is cancelled before it begins.'
  return runId === null
    ? 'The program reads the decision.'
    : 'The run continues and reads the decision.'
}

function keyOf(id: 'approve' | 'deny'): string {
  return keyNames(id, platform).join(' ')
}
