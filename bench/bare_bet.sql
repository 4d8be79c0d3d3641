-- The rows that one accepted bet writes (tests/functional/test_bench.py holds the two together).
\set account random(:first, :last)
\set number random(1, 1000000000000000)
BEGIN;
INSERT INTO core_replayedanswer (scope, key_digest, fingerprint, answer, created_at)
VALUES ('user:' || (:account::bigint + :offset::bigint), sha256((:number::text)::bytea), sha256((:number::text)::bytea),
        :code::text || '-' || :number::text, clock_timestamp());
INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)
VALUES (:pool::bigint, 'stake:' || :code::text || '-' || :number::text, 'stake', clock_timestamp(),
        'bet:' || :code::text || '-' || :number::text);
INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
VALUES (:pool::bigint, 'stake:' || :code::text || '-' || :number::text, 0, :account::bigint, :pot::bigint, :stake::bigint);
UPDATE accounts_ledgeraccount SET debits = debits + :stake::bigint
WHERE id = :account::bigint AND credits >= debits + :stake::bigint;
INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, player_id,
                       terms_digest, rules_version, salt, check_hash)
VALUES (:pool::bigint, :code::text || '-' || :number::text, (:number::bigint % 35184372088832)::bit(45), 1,
        :stake::bigint, totalizator_now(), 'account', :account::bigint, :account::bigint + :offset::bigint,
        :terms::text, :rules::text, substr(sha256((:number::text)::bytea), 1, 16), sha256((:number::text)::bytea));
INSERT INTO core_journalrecord (at, actor, act, subject, reason, "before", "after")
VALUES (clock_timestamp(), 'user:' || (:account::bigint + :offset::bigint), 'place_bet',
        'bet:' || :code::text || '-' || :number::text, '', NULL,
        jsonb_build_object('lines', 1, 'stake', :stake::bigint, 'channel', 'account'));
END;
