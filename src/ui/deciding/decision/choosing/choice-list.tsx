import { Radio } from '@mantine/core'
import { useRef } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useAriaKeys, useKeyboard, useShortcut } from '../../../keyboard/keyboard-provider.tsx'
import { platform } from '../../../keyboard/platform.ts'
import { keyNames } from '../../../keyboard/shortcuts.ts'
import type { UnsentChoice } from './use-unsent-choice.ts'
import { verbs } from '../../../words/verbs.ts'
import '../../../states/choices.css'

/**
 * The possible decisions, deny first. A and D move the focus here and choose; a second press calls
 * `onAgain`. A digit that is pressed here calls `onDigit`, which returns whether it has a meaning.
 */
export function ChoiceList(props: {
  request: RequestDetail
  unsentChoice: UnsentChoice
  onAgain: () => void
  onDigit: (digit: number) => boolean
  disabled: boolean
}) {
  const { request, onAgain, onDigit, disabled } = props
  const { choice, isArmed, setChoice, arm } = props.unsentChoice
  const { singleKeys } = useKeyboard()
  const group = useRef<HTMLFieldSetElement>(null)
  const press = (value: 'approve' | 'deny'): void => {
    if (disabled || !request.allowedDecisions.includes(value)) return
    if (isArmed && choice === value) return onAgain()
    group.current?.querySelector<HTMLInputElement>(`input[value="${value}"]`)?.focus()
    arm(value)
  }
  useShortcut('deny', () => press('deny'), null, group)
  useShortcut('approve', () => press('approve'), null, group)
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
            onChange={() => setChoice(value)}
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
