import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, useState, type ComponentProps } from 'react'
import { auditEventTypes } from '#domain/audit-event.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { FiltersButton } from '../states/filters-button.tsx'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import { dayOf, endOfDay, startOfDay } from './audit-days.ts'
import { eventWords } from './event-words.ts'
import { verbs } from '../words/verbs.ts'

interface AuditFiltersProps {
  readonly search: URLSearchParams
  readonly set: (name: string, value: string) => void
  readonly setAll: (values: Readonly<Record<string, string>>) => void
  readonly clear: () => void
  readonly isNarrowed: boolean
  /** the numbers of requests and runs by their ids, for filters that a link wrote with an id */
  readonly numbers: ReadonlyMap<string, string>
}

/** The filters of the trail. They are in the address, under the API's names. */
export function AuditFilters(props: AuditFiltersProps) {
  const { search, set, setAll, clear, isNarrowed, numbers } = props
  const commonProps = { search, set, numbers }
  const isPhone = useMedia(phoneUntil)
  const [isUnfolded, setUnfolded] = useState(false)
  const id = useId()
  const words = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => words.current?.focus())
  const keys = useAriaKeys('filter')
  return (
    <search className="toolbar audit-toolbar">
      <div className="audit-words">
        <WordsFilter
          {...commonProps}
          name="q"
          label="Words"
          hint="in the effect, tool or reasons"
          input={{ ref: words, ...keys }}
        />
        {isPhone && (
          <FiltersButton
            isSet={isNarrowed}
            isUnfolded={isUnfolded}
            controls={id}
            onToggle={() => setUnfolded(!isUnfolded)}
          />
        )}
      </div>
      <div id={id} className="audit-more" hidden={isPhone && !isUnfolded}>
        <NativeSelect
          label="Type of event"
          value={search.get('type') ?? ''}
          onChange={(event) => set('type', event.currentTarget.value)}
          data={[
            { value: '', label: 'Any event' },
            ...auditEventTypes.map((value) => ({ value, label: eventWords(value) })),
          ]}
        />
        <WordsFilter {...commonProps} name="actor" label="Who" hint="mail address" />
        <WordsFilter {...commonProps} name="requestId" label="Request" hint="number" />
        <WordsFilter {...commonProps} name="runId" label="Run" hint="number" />
        <DayFilter {...commonProps} name="from" label="From" edge="start" />
        <DayFilter {...commonProps} name="to" label="To (inclusive)" edge="end" />
        <div className="audit-last">
          <OfficeHoursFilter search={search} setAll={setAll} />
          {isNarrowed && (
            <Button variant="default" onClick={clear}>
              {verbs.clearFilters}
            </Button>
          )}
        </div>
      </div>
    </search>
  )
}

const officeHours = '08:00-18:00'

/** The filter for events outside of office hours, in the viewer's time zone. */
function OfficeHoursFilter({ search, setAll }: Pick<AuditFiltersProps, 'search' | 'setAll'>) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return (
    <Checkbox
      className="audit-office"
      label="Outside office hours"
      description={`Mon–Fri, ${officeHours}`}
      title={`Not Monday to Friday, ${officeHours}, ${timeZone}`}
      checked={search.get('outside') !== null}
      onChange={(event) =>
        setAll(
          event.currentTarget.checked
            ? { outside: officeHours, timeZone }
            : { outside: '', timeZone: '' },
        )
      }
    />
  )
}

interface FilterProps {
  readonly name: string
  readonly label: string
  readonly search: URLSearchParams
  readonly set: (name: string, value: string) => void
}

function WordsFilter(
  props: FilterProps & {
    readonly hint: string
    readonly input?: ComponentProps<typeof TextInput>
  } & Pick<AuditFiltersProps, 'numbers'>,
) {
  const { name, label, hint, input, search, set, numbers } = props
  const filter = search.get(name) ?? ''
  const value = numbers.get(filter) ?? filter
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        set(name, text)
      }}
    >
      <TextInput
        name={name}
        label={label}
        placeholder={hint}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => text !== value && set(name, text)}
        {...input}
      />
    </form>
  )
}

function DayFilter({ name, label, edge, search, set }: FilterProps & { edge: 'start' | 'end' }) {
  const inAddress = dayOf(search.get(name), edge)
  const [text, setText] = useState(inAddress)
  // The same field all the time: each digit of a day changes the address, and more are to come.
  useEffect(() => setText(inAddress), [inAddress])
  return (
    <TextInput
      type="date"
      label={label}
      value={text}
      onChange={(event) => {
        const day = event.currentTarget.value
        setText(day)
        const at = edge === 'start' ? startOfDay(day) : endOfDay(day)
        if (day === '' || at !== null) set(name, at ?? '')
      }}
    />
  )
}
