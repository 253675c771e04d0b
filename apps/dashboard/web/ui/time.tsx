import { useEffect, useState } from 'react';
import { ago, dateOrTime, dateTime } from './format';

/** A moment on the reader's clock; a short one of today leaves out the day. */
export const Time = ({ at, isShort = false }: { at: string; isShort?: boolean }) => (
  <time dateTime={at} title={`${ago(at)} (${at})`} className="number">
    {isShort ? dateOrTime(at) : dateTime(at)}
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
