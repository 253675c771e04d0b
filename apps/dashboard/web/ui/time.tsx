import { useEffect, useState } from 'react';
import { ago, dateTime } from './format';

/** A moment on the reader's clock. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={`${ago(at)} (${at})`} className="number">
    {dateTime(at)}
  </time>
);

const TICK_MS = 1000;

/** How long ago a moment was, or how far off it is. */
export function Ago({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={dateTime(at)}>
      {ago(at, now)}
    </time>
  );
}
