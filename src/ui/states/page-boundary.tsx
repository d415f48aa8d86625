import { Button } from '@mantine/core'
import { IconMoodConfuzed } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'
import './states.css'

interface BoundaryProps {
  /** the missing part as the subject of a sentence: `This page`, `This list` */
  readonly what: string
  readonly children: ReactNode
}

/**
 * Catches the error of a part of the dashboard that could not be loaded, for instance after an
 * upgrade, or that has a defect. The rest of the page stays. Give the page as `key`, so that
 * another page is a new attempt.
 */
export class PageBoundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <div className="state" role="alert">
        <IconMoodConfuzed className="state-icon" size={32} stroke={1.5} aria-hidden />
        <h2>{this.props.what} cannot be shown</h2>
        <p className="dim">
          A part of it did not load, for example because there is no network or the service was
          upgraded. Nothing was changed.
        </p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Load it again
        </Button>
      </div>
    )
  }
}
