import { Button } from '@mantine/core'
import {
  lazy,
  useEffect,
  useState,
  type ComponentType,
  type LazyExoticComponent,
  type ReactNode,
} from 'react'

/**
 * A part of a page whose script is loaded when it is first drawn, with a placeholder until then.
 * React shows what was suspended 300 ms after its placeholder at the earliest; this shows it at
 * once. If the script does not load, this says so in the place of the part, and the page around it
 * stays as it is, unless `without` says how it goes on. `fetch` begins to load it before it is
 * drawn; `isLoaded` says whether it is loaded.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: (props: Props) => ReactNode = () => null,
  without?: WithoutPart<Props>,
): ComponentType<Props> & {
  readonly fetch: () => Promise<unknown>
  readonly isLoaded: () => boolean
} {
  const part = fetchOnce(load)
  function Later(props: Props) {
    const [, drawAgain] = useState(0)
    const [isMissed, setMissed] = useState(false)
    const Part = part.current()
    const isMissing = Part === null
    const need = without?.needOf(props)
    useEffect(() => {
      if (!isMissing) return
      part.fetch().then(
        () => drawAgain(1),
        () => (without === undefined ? setMissed(true) : without.onFailure(props)),
      )
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- it loads anew for each need
    }, [isMissing, need])
    if (Part !== null) return <Part {...props} />
    return isMissed ? <MissingPart /> : placeholder(props)
  }
  return Object.assign(Later, { fetch: part.fetch, isLoaded: () => part.current() !== null })
}

/** Takes the place of a part whose script did not load. */
function MissingPart() {
  return (
    <div role="alert" className="column small">
      <p>
        This part did not load, for example because there is no network or the service was upgraded.
      </p>
      <div>
        <Button size="xs" variant="default" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      </div>
    </div>
  )
}

/** How a page goes on when the script of a part does not load. */
interface WithoutPart<Props> {
  /** what the part is needed for: it is loaded again when that changes */
  readonly needOf: (props: Props) => unknown
  readonly onFailure: (props: Props) => void
}

/** A page with a script of its own. `fetch` loads the script. */
export interface LaterPage {
  readonly Page: LazyExoticComponent<ComponentType>
  fetch(): Promise<unknown>
}

/**
 * A page whose script is loaded on demand. React keeps the previous page until then.
 * Once `fetch` is settled, it is drawn without a placeholder.
 */
export function laterPage(load: () => Promise<ComponentType>): LaterPage {
  const part = fetchOnce(load)
  const Page = lazy(() => {
    const current = part.current()
    if (current === null) return part.fetch().then((component) => ({ default: component }))
    return resolvedAtOnce({ default: current })
  })
  return { Page, fetch: part.fetch }
}

function fetchOnce<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let component: ComponentType<Props> | null = null
  let promise: Promise<ComponentType<Props>> | null = null
  const attempt = (): Promise<ComponentType<Props>> =>
    load().then(
      (loaded) => (component = loaded),
      (error: unknown) => {
        // The next attempt loads it again.
        promise = null
        throw error
      },
    )
  return { current: () => component, fetch: () => (promise ??= attempt()) }
}

/** React takes the value of a thenable that calls back at once without waiting. */
function resolvedAtOnce<Value>(value: Value): Promise<Value> {
  const promise = Promise.resolve(value)
  return Object.assign(promise, {
    then: (done: (value: Value) => unknown) => (done(value), promise),
  })
}
